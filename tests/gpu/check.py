# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the jobs of tests/gpu with and without commtap and judges their reports: `check.py --help`; run.sh starts it.

The parts come in the order of what is most worth knowing, each within its own time, so that ten minutes of a GPU show
most. The results go to a file as JSON after each check.
"""

import argparse
import contextlib
import datetime
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import judge
from ranks import HERE, Failed, Machine, Ranks, mps, ranks_for, report_of, run

sys.path.append(str(HERE.parent / "e2e" / "support"))  # part of the pack, too
from samples_file import SamplesFile

#: The copy of NCCL that `./dev gpu pack` adds.
PACKED_NCCL = HERE.parents[1] / "nccl" / "libnccl.so.2.xz"
TIMED = {"COMMTAP_TIMING": "device"}
MODES = ("off", "host", "device", "sample:10")
JOBS = ("ddp", "fsdp2", "tp", "pp", "ep")
#: The longest that a job of a part takes on a GPU, if it does not hang.
JOB_S = 60.0
PATIENCE_S = 4

FACTS = """
import json, platform, torch
gpus = [torch.cuda.get_device_name(gpu) for gpu in range(torch.cuda.device_count())]
nccl = list(torch.cuda.nccl.version()) if gpus else []
print(json.dumps({"torch": torch.__version__, "cuda": torch.version.cuda, "python": platform.python_version(),
                  "gpus": gpus, "nccl": nccl}))
"""


@dataclass
class Kit:
    """The machine, and what the checks have found so far."""

    machine: Machine
    folder: Path
    facts: dict[str, Any]
    results: Path
    jobs: tuple[str, ...] = JOBS
    rounds: int = 3
    is_dry: bool = False
    checks: list[dict[str, Any]] = field(default_factory=list)
    pace: dict[str, Any] = field(default_factory=dict)
    exposed: dict[str, Any] = field(default_factory=dict)
    part: str = ""
    began: float = field(default_factory=time.monotonic)

    def note(self, what: str, result: str, faults: list[str] | None = None) -> None:
        """Adds a result, "passed", "failed" or "not run", and writes all of them."""
        at_s = round(time.monotonic() - self.began)
        check = {"part": self.part, "what": what, "result": result, "at_s": at_s, "faults": (faults or [])[:10]}
        self.checks.append(check)
        print(f"{self.part}  {result:8} {what}", flush=True)
        for fault in (faults or [])[:10]:
            print(f"              {fault}", flush=True)
        document = {"facts": self.facts, "checks": self.checks, "pace": self.pace, "exposed": self.exposed}
        self.results.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    def judge(self, what: str, faults: list[str]) -> None:
        """Adds a check, which passed if there are no faults."""
        self.note(what, "failed" if faults else "passed", faults)

    @contextlib.contextmanager
    def attempt(self, what: str, seconds: float = JOB_S) -> Iterator[None]:
        """Runs a block that must end within `seconds` and its part; a job in it that fails is a failed check."""
        part_deadline = self.machine.deadline
        self.machine.deadline = min(part_deadline, time.monotonic() + seconds)
        try:
            yield
        except Failed as error:
            self.note(what, "failed", [str(error)])
        except (LookupError, TypeError, ValueError) as error:
            self.note(what, "failed", [f"{type(error).__name__}: {error}"])
        finally:
            self.machine.deadline = part_deadline

    def needs_gpu(self, what: str, ranks: int = 1) -> bool:
        """Returns whether the machine has a GPU and as many ranks; notes what is not run otherwise."""
        if self.machine.device == "cuda" and self.machine.ranks >= ranks:
            return True
        self.note(what, "not run", [f"needs a GPU and {ranks} ranks"])
        return False


def check_nccl(kit: Kit) -> None:
    """The right NCCL is loaded, and an all_reduce is right."""
    with kit.attempt("all_reduce"):
        folder = kit.folder / "sum"
        said = run(kit.machine, ["job.py", "sum"], folder)
        kit.judge(f"an all_reduce of {len(said)} ranks is right", judge.sum_faults(said))
        if kit.machine.device == "cuda":
            kit.facts["nccl_loaded"] = said[0]["version"]
            preloaded = None if kit.machine.nccl is None else str(kit.machine.nccl)
            kit.judge("the right NCCL is loaded", judge.faults_of_library(said, preloaded, report_of(folder)))


def check_jobs(kit: Kit) -> None:
    """The rows of jobs equal those on Gloo, and the calls to NCCL match them."""
    for job in kit.jobs:
        with kit.attempt(f"{job} runs"):
            folder, gloo = kit.folder / job, kit.folder / f"{job}_gloo"
            with Ranks(kit.machine.on_gloo(), ["parallel.py", job], gloo) as others:
                run(kit.machine, ["parallel.py", job], folder)
                others.said()
            reports = [(report_of(folder, rank), report_of(gloo, rank)) for rank in range(kit.machine.ranks)]
            faults = [fault for found, expected in reports for fault in judge.row_faults(found, expected)]
            kit.judge(f"{job}: the rows are those on Gloo", faults)
            if kit.machine.backend == "nccl":
                faults = [fault for found, _ in reports for fault in judge.nccl_faults(found)]
                kit.judge(f"{job}: the calls to NCCL match the rows", faults)


def layers(report: dict[str, Any]) -> dict[tuple[str, ...], judge.Amount]:
    """Returns calls and bytes of the all_reduces in the layers."""
    return {key: amount for key, amount in judge.rows_of(report).items() if key[2] == "all_reduce"}


def check_graphs(kit: Kit) -> None:
    """CUDA graphs: the job's own, and those of a compiled model."""
    if not kit.needs_gpu("CUDA graphs"):
        return
    with kit.attempt("a CUDA graph"):
        said = run(kit.machine, ["job.py", "graph"], kit.folder / "graph")
        faults = judge.graph_faults(report_of(kit.folder / "graph"), said[0])
        kit.judge("a CUDA graph of the job's own: captured calls and launches", faults)
        kit.judge("its all_reduces are right", [] if said[0]["right"] else ["another sum"])
    eager: dict[tuple[str, ...], judge.Amount] = {}
    total = 0.0
    for mode in ("eager", "default", "reduce-overhead", "reduce-overhead from the cache"):
        with kit.attempt(f"compiled, {mode}", 2 * JOB_S):
            folder = kit.folder / mode.replace(" ", "_")
            cache = {"TORCHINDUCTOR_CACHE_DIR": str(kit.folder / "inductor")}
            [said, *_] = run(kit.machine, ["compiled.py", mode.split()[0]], folder, variables=cache)
            report = report_of(folder)
            found = layers(report)
            if mode == "eager":
                eager, total = found, said["total"]
            count, size = (sum(amounts) for amounts in zip(*found.values(), strict=True)) if found else (0, 0)
            made = [] if (count, size) == (said["count"], said["bytes"]) else [f"{count} calls of {size} bytes"]
            kit.judge(f"compiled, {mode}: calls and bytes as made", made)
            kit.judge(f"compiled, {mode}: the eager modules", [] if found == eager else [f"{found}, eager: {eager}"])
            is_same = abs(said["total"] - total) < 1e-3 * abs(total)
            kit.judge(f"compiled, {mode}: the eager result", [] if is_same else [f"{said['total']}, eager: {total}"])


def check_times(kit: Kit) -> None:
    """Times by events are those of the kernels."""
    if not kit.needs_gpu("times by events against Kineto", 2):
        return
    with kit.attempt("times by events"):
        folder = kit.folder / "times"
        [said, *_] = run(kit.machine, ["times.py"], folder, variables=TIMED)
        faults = judge.time_faults(report_of(folder), said["kineto_ns"], said["counts"])
        kit.judge("times by events are those of the kernels, by Kineto", faults)


def check_exposed(kit: Kit) -> None:
    """Exposed time is that of the trace."""
    if not kit.needs_gpu("exposed time against Kineto", 2):
        return
    for mode in ("fsdp2", "ddp", "sync"):
        with kit.attempt(f"exposed time of {mode}"):
            folder = kit.folder / f"exposed_{mode}"
            for rank, said in enumerate(run(kit.machine, ["exposed.py", mode], folder, variables=TIMED)):
                report = report_of(folder, rank)
                faults = judge.exposure_faults(report, said)
                kit.judge(f"{mode}: exposed time of rank {rank} is that of its trace", faults)
                kit.exposed[f"{mode}, rank {rank}"] = judge.exposure_ms(report, said)
                print(f"    {kit.exposed[f'{mode}, rank {rank}']}")


def check_plugin(kit: Kit) -> None:
    """NCCL reports calls that bypass the shim to the profiler plugin."""
    if not kit.needs_gpu("the profiler plugin", 2):
        return
    with kit.attempt("the profiler plugin"):
        folder = kit.folder / "plugin"
        variables = {"NCCL_PROFILER_PLUGIN": "STATIC_PLUGIN"}
        [said, *_] = run(kit.machine, ["plugin.py"], folder, variables=variables)
        expected = {name: (count, size) for name, (count, size) in said.items()}
        kit.judge("the profiler plugin gets its calls", judge.plugin_faults(report_of(folder), expected))


def why(kit: Kit, folder: Path) -> dict[str, Any]:
    """Returns the verdict of `commtap why`."""
    command = [kit.machine.command, "why", "--json", "--after", f"{PATIENCE_S}s", "--interval", "0.5s", folder / "out"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=kit.machine.left_s())
    if not done.stdout.startswith("{"):
        raise Failed(f"commtap why ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def settled(kit: Kit, folder: Path, begins: Callable[[], bool]) -> dict[str, Any]:
    """Returns the verdict once `begins`, and it says that the job is stuck; else the last one before time is up."""
    while not begins():
        kit.machine.left_s()
        time.sleep(0.2)
    verdict = why(kit, folder)
    while verdict["status"] != "stuck" and kit.machine.deadline - time.monotonic() > PATIENCE_S:
        verdict = why(kit, folder)
    return verdict


def check_hangs(kit: Kit) -> None:
    """`commtap why` names the rank that is stopped, or that skips; also after the watchdog has ended the other.

    After a timeout the watchdog waits four times as long as the variable says, by default a minute.
    """
    if kit.machine.ranks < 2:
        kit.note("commtap why", "not run", ["needs 2 ranks"])
        return
    for what, reason, module in (("stopped", "stopped", "Net.a"), ("skip", "skipped", "Net.b")):
        with kit.attempt(f"hang.py {what}"), Ranks(kit.machine, ["hang.py", what, "120"], kit.folder / what) as job:
            verdict = settled(kit, job.folder, lambda job=job: all("at work" in job.text("stdout", r) for r in (0, 1)))
            kit.judge(f"why: hang.py {what}", judge.verdict_faults(verdict, (reason,), "1", module))
    for what, reason, module in (("skip", "skipped", "Net.b"), ("stopped", "not_come", "Net.a")):
        folder = kit.folder / f"{what}_abort"
        command, soon = ["hang.py", what, "10"], {"variables": {"TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "500"}}
        with kit.attempt(f"hang.py {what}, the end"), Ranks(kit.machine, command, folder, **soon) as job:
            job.wait(0)
            if what == "stopped":  # as a launcher does once a rank has ended
                job.processes[1].kill()
            verdict = settled(kit, job.folder, lambda: True)
            faults = judge.verdict_faults(verdict, (reason,), "1", module)
            kit.judge(f"why: hang.py {what}, after the watchdog has ended rank 0", faults)


def check_pace(kit: Kit) -> None:
    """Host time of a call in each mode against bare, in turn."""
    machine = kit.machine.with_ranks(1)
    modes = ("bare", *MODES, "bare again")
    taken: dict[str, list[float]] = {mode: [] for mode in modes}
    short = {"PACE_COUNT": "100", "PACE_CHUNKS": "3"} if kit.is_dry else {}
    with kit.attempt("host time", 600):
        for number in range(kit.rounds):
            began, measured = time.monotonic(), {}
            for mode in modes if number % 2 == 0 else reversed(modes):
                timing = {} if mode.startswith("bare") else {"COMMTAP_TIMING": mode}
                options = {"watched": not mode.startswith("bare"), "variables": timing | short}
                folder = kit.folder / f"pace_{number}_{mode.replace(' ', '_').replace(':', '_')}"
                measured[mode] = run(machine, ["job.py", "pace"], folder, **options)[0]["host_us"]
            for mode, microseconds in measured.items():
                taken[mode].append(microseconds)
            kit.pace = judge.paces(taken) | {"rounds": number + 1}
            if kit.machine.deadline - time.monotonic() < time.monotonic() - began:
                break
    kit.judge("host time of a call in each mode", [] if kit.pace else ["not one round ended in time"])
    for mode in modes if kit.pace else ():
        print(f"    {mode:12} {kit.pace[mode]['us']:8.2f} us a call {kit.pace[mode]['ratio']:8.3f} to bare")


def check_samples(kit: Kit) -> None:
    """Samples for `commtap verify`: their digests, and that the job is as it is without them."""
    machine, on = kit.machine.with_ranks(1), {"variables": {"COMMTAP_VERIFY": "1"}}
    with kit.attempt("digests"):
        folder = kit.folder / "sampled"
        [said] = run(machine, ["sampled.py", "equal"], folder, **on)
        samples = SamplesFile(folder / "out" / "rank-00000.samples").samples
        kit.judge("a GPU's digests are those of the CPU", judge.twin_faults(samples, 3, said["tensors"]))
        lost = judge.not_seen_of(report_of(folder))
        kit.judge("all tensors are sampled", [f"{reason}: {detail}" for reason, detail in lost.items()])
    with kit.attempt("training with samples and without"):
        variables = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
        [bare] = run(machine, ["sampled.py", "train"], kit.folder / "unsampled", variables=variables, watched=False)
        [found] = run(machine, ["sampled.py", "train"], kit.folder / "trained", variables=variables | on["variables"])
        kit.judge("samples change no bit of a training", [] if found == bare else [f"{found}, bare: {bare}"])
    if not kit.needs_gpu("a captured step, cost of a sample"):
        return
    with kit.attempt("a captured step"):
        folder = kit.folder / "captured"
        [said] = run(machine, ["sampled.py", "graph"], folder, **on)
        steps = [sample.step for sample in SamplesFile(folder / "out" / "rank-00000.samples").samples]
        captured = judge.not_seen_of(report_of(folder)).get("samples_lost", "")
        faults = [] if said["moved"] else ["the graph does not train"]
        faults += [] if steps == [1, 2, 3, 5] else [f"the samples are of steps {steps}"]
        faults += [] if "captured" in captured else [f"samples_lost: {captured}"]
        kit.judge("a captured step has no sample, and works", faults)
    with kit.attempt("cost of a sample"):
        [said] = run(machine, ["sampled.py", "cost"], kit.folder / "cost", **on)
        cost = judge.sample_cost(said, {1, 2, 3, 4, 5, 9})
        kit.note(f"cost of a sample: {cost['ms_per_gb']} ms per GB, {cost['host_ms']} ms of the host", "passed")
        print(f"    {cost}")


#: The parts, in order, each with its time in seconds.
PARTS: dict[str, tuple[float, Callable[[Kit], None]]] = {
    "a": (60, check_nccl),
    "b": (180, check_jobs),
    "c": (150, check_graphs),
    "d": (60, check_times),
    "e": (60, check_plugin),
    "f": (150, check_hangs),
    "g": (180, check_pace),
    "h": (120, check_samples),
    "i": (120, check_exposed),
}

#: A rank that is killed within a kernel blocks MPS for later ranks. A single rank needs none.
WITHOUT_MPS = "fg"


def run_parts(kit: Kit, parts: str, limit_s: float) -> None:
    """Runs the parts; those for which no time is left are not run."""
    end = time.monotonic() + limit_s
    for name in parts:
        seconds, check = PARTS[name]
        kit.part, kit.machine.deadline = name, min(end, time.monotonic() + seconds)
        if end - time.monotonic() < 5:
            kit.note((check.__doc__ or "").rstrip("."), "not run", ["no time left"])
        else:
            check(kit)


def run_shared(kit: Kit, parts: str, limit_s: float) -> None:
    """Runs the parts; those that profit from NVIDIA's MPS with it, if it is there and works.

    Without it, ranks that share a GPU take turns.
    """
    end = time.monotonic() + limit_s
    with mps(kit.machine, kit.folder / "mps") as is_on:
        if is_on:
            run_parts(kit, "a", limit_s)
        kit.facts["mps"] = is_on and all(check["result"] == "passed" for check in kit.checks)
        if kit.facts["mps"]:
            run_parts(kit, "".join(part for part in parts if part not in "a" + WITHOUT_MPS), end - time.monotonic())
            parts = "".join(part for part in parts if part in WITHOUT_MPS)
        else:
            kit.checks.clear()
    run_parts(kit, parts, end - time.monotonic())


def facts_of(is_dry: bool) -> dict[str, Any]:
    """Returns versions and GPUs. Asks another process: this one must not use a GPU that ranks share."""
    done = subprocess.run([sys.executable, "-c", FACTS], check=True, capture_output=True, text=True, timeout=120)
    facts = json.loads(done.stdout.splitlines()[-1])
    facts["date"] = datetime.date.today().isoformat()
    return facts | ({"gpus": [], "nccl": []} if is_dry else {})


def machine_of(facts: dict[str, Any], folder: Path, is_dry: bool) -> Machine:
    """Returns the machine, with the packed NCCL if torch's own does not let ranks share a GPU."""
    machine = Machine(Path(os.environ["LIBRARY"]), Path(os.environ["COMMAND"]), gpus=tuple(facts["gpus"]))
    if is_dry:
        machine = machine.on_gloo()
        machine.ranks = 2
        return machine
    nccl = tuple(facts["nccl"])
    if ranks_for(len(machine.gpus), nccl) == 1 and PACKED_NCCL.exists():
        machine.nccl = folder / "libnccl.so.2"
        machine.nccl.write_bytes(lzma.decompress(PACKED_NCCL.read_bytes()))
        machine.ranks = 2
    else:
        machine.ranks = ranks_for(len(machine.gpus), nccl)
    return machine


def parsed() -> argparse.Namespace:
    """Returns the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="on processors with Gloo: shows that the kit works")
    parser.add_argument("--parts", default="".join(PARTS), help="default: %(default)s")
    parser.add_argument("--jobs", default=",".join(JOBS), help="of part b; default: %(default)s")
    parser.add_argument("--limit", type=float, default=570, metavar="SECONDS", help="for all; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="of part g; default: %(default)s")
    parser.add_argument("--results", type=Path, default=Path("gpu-results.json"), help="default: %(default)s")
    return parser.parse_args()


def main() -> int:
    """Returns 0 if no check failed."""
    arguments = parsed()
    facts = facts_of(arguments.dry_run)
    print(json.dumps(facts))
    if not facts["gpus"] and not arguments.dry_run:
        sys.exit("no GPU: torch finds none; --dry-run shows that the kit works without")
    with tempfile.TemporaryDirectory() as name:
        machine = machine_of(facts, Path(name), arguments.dry_run)
        facts["ranks"] = machine.ranks
        results = arguments.results.absolute()
        kit = Kit(machine, Path(name), facts, results, tuple(arguments.jobs.split(",")), arguments.rounds)
        kit.is_dry = arguments.dry_run
        run_shared(kit, arguments.parts, arguments.limit)
    counts = {result: sum(check["result"] == result for check in kit.checks) for result in ("passed", "failed")}
    print(f"{counts['passed']} passed, {counts['failed']} failed; {arguments.results} has all")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
