# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what tests/gpu/run.sh found into docs/design/gpu.md: `./dev gpu docs gpu-results.json`."""

import argparse
import json
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "design" / "gpu.md"
BEGIN, END = "<!-- results of several ranks -->", "<!-- end of the results -->"

Results = dict[str, Any]


def machine_text(facts: dict[str, Any]) -> str:
    """Returns one sentence about what ran: GPUs, versions and the date, not where."""
    gpus = sorted(set(facts["gpus"]))
    named = ", ".join(f"{facts['gpus'].count(gpu)} {gpu}" for gpu in gpus)
    shared = facts["ranks"] > len(facts["gpus"])
    how = (" that shared it, with MPS" if facts.get("mps") else " that shared it in turns") if shared else ""
    version = ".".join(map(str, facts["nccl"]))
    loaded = facts.get("nccl_loaded", version)
    nccl = f"its NCCL {version}" if loaded == version else f"NCCL {loaded} in place of its {version}"
    return (
        f"On {facts['date']}, on {named}, {facts['ranks']} ranks{how}, with torch {facts['torch']} for CUDA "
        f"{facts['cuda']}, {nccl}, CPython {facts['python']}."
    )


def checks_text(checks: list[dict[str, Any]]) -> str:
    """Returns a table of the checks, with the first fault of those that failed."""
    lines = ["| part | check | result |", "|---|---|---|"]
    for check in checks:
        why = f": {check['faults'][0]}" if check["result"] != "passed" and check["faults"] else ""
        cells = check["part"], check["what"], f"{check['result']}{why}".replace("|", "/").replace("\n", " ")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def pace_text(pace: dict[str, Any]) -> str:
    """Returns a table of the host time in each mode; "" if it was not measured."""
    if not pace:
        return ""
    lines = [
        "",
        f"Host time of an all_reduce of 1 kB on one rank, medians; rounds: {pace['rounds']}. "
        "`bare again` shows how far two runs without commtap are apart:",
        "",
        "| mode | µs per call | ratio to bare |",
        "|---|---|---|",
    ]
    lines += [f"| {mode} | {row['us']} | {row['ratio']} |" for mode, row in pace.items() if mode != "rounds"]
    return "\n".join(lines) + "\n"


def exposed_text(exposed: dict[str, Any]) -> str:
    """Returns a table of the measured steps of each job and rank; "" if there is none."""
    if not exposed:
        return ""
    lines = [
        "",
        "A step of training, in ms, mean of the measured ones: NCCL's kernels run; without another kernel at that "
        "time, which HTA calls exposed; in gaps of the computing stream that end with a kernel of NCCL; of that, once "
        "the host had made the stream wait; and what commtap measured in the same step:",
        "",
        "| job | NCCL | uncovered | gaps | waited | exposed, by commtap |",
        "|---|---|---|---|---|---|",
    ]
    names = ("nccl", "uncovered", "gaps", "waited", "exposed")
    for job, steps in exposed.items():
        means = [sum(step[name] for step in steps) / len(steps) for name in names]
        lines.append(f"| {job} | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")
    return "\n".join(lines) + "\n"


def section_of(results: Results) -> str:
    """Returns the text between BEGIN and END."""
    counts = {name: sum(check["result"] == name for check in results["checks"]) for name in ("passed", "failed")}
    total = f"**{counts['passed']} passed, {counts['failed']} failed.**"
    parts = [machine_text(results["facts"]) + " " + total, checks_text(results["checks"])]
    return "\n\n".join(parts) + "\n" + pace_text(results["pace"]) + exposed_text(results.get("exposed", {}))


def filled(page: str, results: Results) -> str:
    """Returns the page with the results in place of those before."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{PAGE} has no {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{section_of(results)}{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev gpu docs", description=__doc__)
    parser.add_argument("results", type=Path)
    arguments = parser.parse_args()
    results = json.loads(arguments.results.read_text(encoding="utf-8"))
    if not results["facts"]["gpus"]:
        raise SystemExit(f"{arguments.results} is of a run without a GPU")
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    main()
