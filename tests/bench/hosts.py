# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures `commtap why` over many hosts: time and memory of the verdict on a job that one rank holds up.

A real `commtap serve` reads generated reports and serves their processes. Another server answers with that text, cut
into one document for each host, at an address of its own for each host: 127.1.0.0, 127.1.0.1, ...
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "e2e" / "support"))

from prometheus import http_get
from server import Server
from tool_costs import Cost

RANKS_PER_NODE = 8
#: Collectives of a rank before it hangs: `RING` of tensor parallelism, then one of data parallelism, and again.
RING = 15
ROUNDS = 100
BEGAN = datetime(2026, 11, 25, 8)


def issued_before(rank: int, late: int) -> tuple[int, int]:
    """The number of collectives that a rank has issued along tp and dp when rank `late` does not come to its next."""
    if rank == late:
        return ROUNDS * RING, ROUNDS - 1
    same_dp_group = rank % RANKS_PER_NODE == late % RANKS_PER_NODE
    return ROUNDS * RING + (0 if same_dp_group else 1), ROUNDS


def last_rows(names: dict[str, str], rank: int, late: int, most: int) -> list[dict[str, Any]]:
    """The newest collectives of a rank; the last is not complete, unless it is the late rank's."""
    tp, dp = issued_before(rank, late)
    order = [(number // RING, "tp", number + 1) for number in range(tp)]
    order += [(number, "zdp", number + 1) for number in range(dp)]
    order.sort()
    rows = []
    for number, (_, dimension, sequence) in list(enumerate(order, 1))[-most:]:
        at = BEGAN + timedelta(milliseconds=number)
        waits = number == len(order) and rank != late
        rows.append(
            {
                "number": number,
                "group": names[dimension],
                "sequence": sequence,
                "step": sequence // RING if dimension == "tp" else sequence,
                "module": "Transformer.layers.0.attention.wo" if dimension == "tp" else "Transformer",
                "issued_in": "Transformer",
                "phase": "forward" if dimension == "tp" else "backward",
                "op": "all_reduce",
                "kind": "all_reduce",
                "dtype": "bfloat16",
                "bytes": 33554432,
                "peer": None,
                "state": "issued" if waits else "completed",
                "issued_at": at.isoformat(timespec="microseconds") + "Z",
                "started_at": None,
                "completed_at": None if waits else at.isoformat(timespec="microseconds") + "Z",
                "reduce_op": "sum",
                "root": None,
            }
        )
    return rows


def report(rank: int, ranks: int, late: int) -> dict[str, Any]:
    tp, dp = issued_before(rank, late)
    node, place = divmod(rank, RANKS_PER_NODE)
    names = {"tp": f"1.{node}", "zdp": f"2.{place}"}
    first = node * RANKS_PER_NODE
    listed = [
        ("0", "default_pg", f"0-{ranks - 1}", ranks, 0),
        (
            names["tp"],
            "tp",
            f"{first}-{first + RANKS_PER_NODE - 1}",
            RANKS_PER_NODE,
            tp,
        ),
        (names["zdp"], "dp", ",".join(map(str, range(place, ranks, RANKS_PER_NODE))), ranks // RANKS_PER_NODE, dp),
    ]
    return {
        "schema": "commtap/2",
        "job": {
            "run_id": "fleet",
            "rank": rank,
            "world_size": ranks,
            "local_rank": place,
            "attempt": 0,
            "host": socket.gethostname(),
            "pid": 4_000_000 + rank,
            "argv": ["train.py"],
            "started_at": BEGAN.isoformat(timespec="microseconds") + "Z",
            "ended_at": None,
            "exit": "running",
            "exit_signal": None,
            "torch": "2.13.0",
            "python": "3.11.2",
            "commtap": "0.1.0",
            "timing": "off",
            "planned": False,
        },
        "groups": [
            {
                "name": name,
                "desc": desc,
                "backend": "nccl",
                "size": size,
                "ranks": members,
                "collectives": count,
                "point_to_point": 0,
                "stretches": [-(2**62) + i for i in range(count // 1024)],
            }
            for name, desc, members, size, count in listed
        ],
        "modules": [
            {
                "id": 0,
                "parent": None,
                "name": "Global",
                "raw_name": "Global",
                "class": None,
                "calls": {"forward": 0, "backward": 0, "recompute": 0, "optimizer": 0, "other": 0},
                "parameters": [],
                "wrappers": [],
            }
        ],
        "collectives": [],
        "steps": [],
        "last": last_rows(names, rank, late, 64),
        "not_seen": [],
    }


def documents(ranks: int, late: int) -> list[str]:
    """Returns the answer of each host's `commtap serve`: the processes of a rank's host sleep."""
    with tempfile.TemporaryDirectory() as made:
        for rank in range(ranks):
            (Path(made) / f"{rank}.json").write_text(json.dumps(report(rank, ranks, late)))
        server = Server(Path(made))
        try:
            head, *lines = http_get(f"http://{server.address}/host?last=64")[1].splitlines()
        finally:
            server.stop()
    by_rank = {}
    for state, text in zip(lines[::2], lines[1::2], strict=True):
        rank = json.loads(text)["job"]["rank"]
        node = f"node{rank // RANKS_PER_NODE:04d}"
        told = json.loads(state) | {"state": "S", "cpu_ticks": 100}
        by_rank[rank] = json.dumps(told) + "\n" + text.replace(f'"host":"{socket.gethostname()}"', f'"host":"{node}"')
    assert len(by_rank) == ranks, (len(by_rank), head)
    texts = []
    for node in range(ranks // RANKS_PER_NODE):
        own = json.loads(head) | {"host": f"node{node:04d}", "problems": []}
        ranks_here = range(node * RANKS_PER_NODE, (node + 1) * RANKS_PER_NODE)
        texts.append("\n".join([json.dumps(own), *(by_rank[rank] for rank in ranks_here)]) + "\n")
    return texts


class Hosts(ThreadingHTTPServer):
    """All hosts: the address that a client connects to says which one it asks."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, texts: list[str]) -> None:
        self.texts = [text.encode() for text in texts]
        super().__init__(("0.0.0.0", 0), Host)


class Host(BaseHTTPRequestHandler):
    server: Hosts

    def do_GET(self) -> None:
        _, _, high, low = map(int, self.connection.getsockname()[0].split("."))
        body = self.server.texts[high * 256 + low]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def verdict_cost(program: Path, addresses: str) -> tuple[Cost, dict[str, Any]]:
    begin = time.monotonic()
    process = subprocess.Popen(
        [str(program), "why", "--json", "--interval", "1s", addresses], stdout=subprocess.PIPE, text=True
    )
    text = process.stdout.read()
    _, _, used = os.wait4(process.pid, 0)
    cost = Cost(time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
    return cost, json.loads(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--nodes", type=int, default=1024)
    arguments = parser.parse_args()
    program = arguments.build / "tools" / "commtap"
    ranks = arguments.nodes * RANKS_PER_NODE
    late = ranks // 2 + 1
    texts = documents(ranks, late)
    server = Hosts(texts)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    addresses = ",".join(f"127.1.{node // 256}.{node % 256}:{port}" for node in range(arguments.nodes))
    print(f"{arguments.nodes} hosts, {ranks} ranks; a host sends {len(texts[0]) / 1024:.0f} KiB")
    for _ in range(3):
        cost, verdict = verdict_cost(program, addresses)
        assert verdict["cause"] == str(late), verdict["line"]
        print(f"{cost.wall_s:.1f} s, of these 1 s between two looks; {cost.cpu_s:.1f} s CPU; {cost.peak_mib:.0f} MiB")
    print(verdict["line"])


if __name__ == "__main__":
    main()
