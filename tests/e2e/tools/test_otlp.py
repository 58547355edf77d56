# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap serve --otlp`: what a collector gets, read by OpenTelemetry's own messages."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from catalogue import JOBS
from google.protobuf import json_format
from harness import Run, Runner, wait_until
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, Metric
from server import Server


class Collector:
    """Keeps the requests to /v1/metrics; `status` is what it answers."""

    def __init__(self) -> None:
        self.requests: list[ExportMetricsServiceRequest] = []
        self.status = 200
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                assert (self.path, self.headers["Content-Type"]) == ("/v1/metrics", "application/json")
                if outer.status == 200:
                    # A name that is not in the specification is an error here.
                    outer.requests.append(json_format.Parse(body, ExportMetricsServiceRequest()))
                self.send_response(outer.status)
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.close()


def serve(run: Run, collector: Collector) -> Server:
    """Serves a run that may have ended long ago, and pushes each second."""
    options = ("--otlp", collector.address, "--otlp-interval", "1", "--keep", "10000")
    return Server(run.output_folder, "127.0.0.1:0", *options)


def metrics_by_rank(request: ExportMetricsServiceRequest) -> dict[int | None, dict[str, Metric]]:
    found: dict[int | None, dict[str, Metric]] = {}
    for resource in request.resource_metrics:
        attributes = {each.key: each.value for each in resource.resource.attributes}
        assert attributes["service.name"].string_value == "commtap"
        assert attributes["host.name"].string_value
        rank = attributes["commtap.rank"].int_value if "commtap.rank" in attributes else None
        [scope] = resource.scope_metrics
        found.setdefault(rank, {}).update({metric.name: metric for metric in scope.metrics})
    return found


def test_a_collector_gets_every_number(runner: Runner, collector: Collector) -> None:
    run = runner.shim(JOBS["fsdp2"])
    server = serve(run, collector)
    wait_until(lambda: len(collector.requests) >= 2, "two pushes")
    assert server.stop() == 0
    metrics = metrics_by_rank(collector.requests[-1])
    for rank in range(2):
        report = run.report(rank)
        calls = metrics[rank]["commtap_collectives"]
        assert calls.unit == "1"
        assert calls.sum.is_monotonic
        assert calls.sum.aggregation_temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
        assert sum(point.as_int for point in calls.sum.data_points) == report.total()
        payload = metrics[rank]["commtap_payload_bytes"]
        assert payload.unit == "By"
        assert sum(point.as_int for point in payload.sum.data_points) == report.total("bytes")
        modules = {each.value.string_value for point in calls.sum.data_points for each in point.attributes}
        assert {row["module"] for row in report.collectives} <= modules
        point = calls.sum.data_points[0]
        assert 0 < point.start_time_unix_nano < point.time_unix_nano
    assert metrics[None]["commtap_unreadable_files"].gauge.data_points[0].as_int == 0


def test_an_outage_loses_nothing(runner: Runner, collector: Collector) -> None:
    """Sums are cumulative: the first request after the outage has all. The server goes on in the meantime."""
    run = runner.shim(JOBS["fsdp2"])
    collector.status = 503
    server = serve(run, collector)
    assert "commtap_collectives_total" in server.get()[1]
    assert "answered with status 503" in server.process.stderr.readline()
    collector.status = 200
    wait_until(lambda: collector.requests, "a push after the outage")
    assert "takes metrics again" in server.process.stderr.readline()
    assert server.stop() == 0
    calls = metrics_by_rank(collector.requests[-1])[0]["commtap_collectives"].sum.data_points
    assert sum(point.as_int for point in calls) == run.report(0).total()
