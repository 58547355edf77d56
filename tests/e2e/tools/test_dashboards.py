# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""docs/dashboards: a real Prometheus reads every expression, and every alert fires only when it should."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard
from prometheus import Prometheus, promtool

from report import REPOSITORY

FOLDER = REPOSITORY / "docs" / "dashboards"
RULES = FOLDER / "commtap.rules.yml"
DASHBOARD = json.loads((FOLDER / "commtap.grafana.json").read_text(encoding="utf-8"))
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
METRICS = set(
    re.findall(r"^\| `(\w+)`", (REPOSITORY / "docs" / "metrics.md").read_text(encoding="utf-8"), re.MULTILINE)
)

RANK = 'run_id="r",attempt="0",rank="{}"'


def series(name: str, values: str, labels: str = "") -> dict[str, str]:
    """Returns an input series of promtool's rule tests."""
    return {"series": f"{name}{{{labels}}}" if labels else name, "values": values}


def collectives(rank: int, values: str) -> dict[str, str]:
    """Returns the series of a rank's all_reduces."""
    labels = RANK.format(rank) + ',module="m",phase="backward",kind="all_reduce",group="dp"'
    return series("commtap_collectives_total", values, labels)


#: The verdict on a job of which one rank crashed.
FAILED = series("commtap_hang_status", "1x40", 'run_id="r",attempt="0",status="failed"')

#: The verdict on a job whose ranks wait for one that cannot come.
STUCK = series("commtap_hang_status", "1x40", 'run_id="r",attempt="0",status="stuck"')

#: The verdict on a job that was interrupted.
HEALTHY = series("commtap_hang_status", "1x40", 'run_id="r",attempt="0",status="healthy"')

#: Alert: the values scraped per minute, and whether it fires after 40 minutes.
CASES: dict[str, list[tuple[list[dict[str, str]], bool]]] = {
    "CommtapRankKilled": [
        ([series("commtap_process_exit", "1x40", RANK.format(1) + ',exit="killed"')], True),
        ([series("commtap_process_exit", "1x40", RANK.format(1) + ',exit="normal",exit_status="0"')], False),
        ([series("commtap_process_exit", "1x40", RANK.format(1) + ',exit="killed",exit_signal="15"')], False),
        ([series("commtap_process_exit", "1x40", RANK.format(1) + ',exit="killed"'), FAILED], False),
        ([series("commtap_process_exit", "1x40", RANK.format(1) + ',exit="killed"'), STUCK], False),
        ([series("commtap_process_exit", "1x40", RANK.format(1) + ',exit="signal"'), HEALTHY], False),
    ],
    "CommtapRankFailed": [
        ([series("commtap_process_exit", "1x40", RANK.format(1) + ',exit="normal",exit_status="1"')], True),
        ([series("commtap_process_exit", "1x40", RANK.format(1) + ',exit="normal",exit_status="1"'), FAILED], False),
        ([series("commtap_process_exit", "1x40", RANK.format(1) + ',exit="killed"')], False),
    ],
    "CommtapJobSilent": [
        ([collectives(0, "7x40"), series("commtap_process_running", "1x40", RANK.format(0))], True),
        ([collectives(0, "0+7x40"), series("commtap_process_running", "1x40", RANK.format(0))], False),
        ([collectives(0, "7x40"), series("commtap_process_running", "0x40", RANK.format(0))], False),
        ([collectives(0, "7x40"), series("commtap_process_running", "1x40", RANK.format(0)), STUCK], False),
    ],
    "CommtapRanksDisagree": [
        ([collectives(0, "0+60x40"), collectives(1, "0+60x10 600x30")], True),
        ([collectives(0, "0+60x40"), collectives(1, "1+60x40")], False),
    ],
    "CommtapRanksDisagreed": [
        ([series("commtap_disagreements", "2x40", 'run_id="r",attempt="0",what="order"')], True),
        ([series("commtap_disagreements", "2x40", 'run_id="r",attempt="0",what="order"'), FAILED], False),
        ([series("commtap_disagreements", "2x40", 'run_id="r",attempt="0",what="module"')], False),
    ],
    "CommtapRanksMissing": [
        (
            [
                series("commtap_world_size", "4x40", 'run_id="r",attempt="0"'),
                series("commtap_ranks", "3x40", 'run_id="r",attempt="0"'),
            ],
            True,
        ),
        (
            [
                series("commtap_world_size", "4x40", 'run_id="r",attempt="0"'),
                series("commtap_ranks", "3x40", 'run_id="r",attempt="0"'),
                FAILED,
            ],
            False,
        ),
        (
            [
                series("commtap_world_size", "4x40", 'run_id="r",attempt="0"'),
                series("commtap_ranks", "4x40", 'run_id="r",attempt="0"'),
            ],
            False,
        ),
    ],
    "CommtapTrainingWrong": [
        ([series("commtap_verify_status", "1x40", 'run_id="r",status="wrong"')], True),
        ([series("commtap_verify_status", "0x40", 'run_id="r",status="wrong"')], False),
        ([series("commtap_verify_status", "1x40", 'run_id="r",status="suspect"')], False),
    ],
    "CommtapHang": [
        ([series("commtap_hang_status", "1x40", 'run_id="r",status="stuck"')], True),
        ([series("commtap_hang_status", "0x40", 'run_id="r",status="stuck"')], False),
        ([series("commtap_hang_status", "1x40", 'run_id="r",status="unknown"')], False),
        ([FAILED], False),
    ],
    "CommtapJobFailed": [
        ([FAILED], True),
        ([series("commtap_hang_status", "1x40", 'run_id="r",status="stuck"')], False),
    ],
    "CommtapStepsChanged": [
        ([series("commtap_step_changes_total", "0x30 1x10", RANK.format(0) + ',what="bytes"')], True),
        ([series("commtap_step_changes_total", "0x40", RANK.format(0) + ',what="bytes"')], False),
        ([series("commtap_step_changes_total", "0x5 1x35", RANK.format(0) + ',what="bytes"')], False),
    ],
    "CommtapRankLate": [
        ([series("commtap_late_rank_wait_ratio", "0.4x40", RANK.format(3) + ',group="dp"')], True),
        ([series("commtap_late_rank_wait_ratio", "_x30 0.4x10", RANK.format(3) + ',group="dp"')], True),
        ([series("commtap_late_rank_wait_ratio", "_x37 0.4x3", RANK.format(3) + ',group="dp"')], False),
        ([series("commtap_ranks", "3x40", 'run_id="r",attempt="0"')], False),
    ],
    "CommtapNotSeen": [
        ([series("commtap_not_seen_total", "2x40", RANK.format(0) + ',reason="unknown_op"')], True),
        ([series("commtap_ranks", "3x40", 'run_id="r",attempt="0"')], False),
    ],
    "CommtapUnreadableFiles": [
        ([series("commtap_unreadable_files", "2x40")], True),
        ([series("commtap_unreadable_files", "0x40")], False),
    ],
}


def firing(alert: str, inputs: list[dict[str, str]], fires: bool) -> dict[str, Any]:
    """Returns a promtool test that counts the alert, so that it need not repeat labels and texts."""
    return {
        "interval": "1m",
        "input_series": inputs,
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) or vector(0)',
                "eval_time": "40m",
                "exp_samples": [{"labels": "{}", "value": 1 if fires else 0}],
            }
        ],
    }


def test_rules(tmp_path: Path) -> None:
    """promtool accepts the rules, and each alert fires only in its own case."""
    promtool("check", "rules", str(RULES))
    alerts = set(re.findall(r"- alert: (\w+)", RULES.read_text(encoding="utf-8")))
    assert alerts == set(CASES)
    assert all({fires for _, fires in cases} == {True, False} for cases in CASES.values())
    tests = [firing(alert, inputs, fires) for alert, cases in CASES.items() for inputs, fires in cases]
    path = tmp_path / "tests.yml"
    path.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
    promtool("test", "rules", str(path))


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Starts a server that scrapes nothing, to parse expressions."""
    server = Prometheus(tmp_path_factory.mktemp("dashboards") / "prometheus", [], RULES)
    yield server
    server.stop()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_of_the_dashboard(prometheus: Prometheus, expression: str) -> None:
    """Prometheus parses each expression, and the metrics that it names are commtap's."""
    for variable, value in (("$run_id", ".*"), ("$__rate_interval", "1m"), ("$__range", "1h")):
        expression = expression.replace(variable, value)
    assert "$" not in expression
    assert prometheus.query(expression) is not None
    assert set(re.findall(r"commtap_\w+", expression)) <= METRICS


def test_the_dashboard_is_whole() -> None:
    """Panels have unique ids, do not overlap, and take their data source from the variable."""
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert all(panel["datasource"]["uid"] == "${datasource}" for panel in panels)


def test_the_dashboard_follows_grafanas_schema() -> None:
    """Grafana's own package, which is made from its published schema, reads the dashboard and loses nothing of it."""
    read = Dashboard.from_json(copy.deepcopy(DASHBOARD))
    again = json.loads(JSONEncoder().encode(read))
    assert lost(DASHBOARD, again) == []


def lost(value: Any, again: Any, path: str = "") -> list[str]:
    """Returns the paths of what `value` has and `again` has not, or has otherwise."""
    if isinstance(value, dict):
        return [
            each
            for name in value
            for each in (lost(value[name], again[name], f"{path}.{name}") if name in again else [f"{path}.{name}"])
        ]
    if isinstance(value, list):
        if len(value) != len(again):
            return [path]
        return [each for i, one in enumerate(value) for each in lost(one, again[i], f"{path}[{i}]")]
    return [] if value == again else [f"{path}: {value!r} became {again!r}"]


def test_metrics_of_the_rules() -> None:
    """Every metric that a rule names is commtap's or another rule's."""
    text = RULES.read_text(encoding="utf-8")
    recorded = set(re.findall(r"record: \w+:(commtap_\w+)", text))
    assert set(re.findall(r"\bcommtap_\w+", text)) <= METRICS | recorded
