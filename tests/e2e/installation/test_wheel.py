# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The wheel: what is in it, what it needs of a system, and what a user does with it on a bare machine."""

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bare_machine import BareMachine
from callers import CALLERS, FOUND, Caller, openings
from harness import BUILD, TRACKER

from report import REPOSITORY, Report

sys.path.insert(0, str(REPOSITORY / ".dev" / "wheel"))

import needs
from contents import PARTS

#: It keeps its tensors to its end, for the reason that tests/jobs/common.py gives.
TRAIN = """
import gc

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(4, 8)).sum().backward()
    optimizer.step()
kept = [each for each in gc.get_objects() if issubclass(type(each), torch.Tensor)]
dist.barrier()
dist.destroy_process_group()
"""


#: That of `./dev test` has one torch, that of `./dev test all` two.
TORCHES = os.environ.get("WHEEL_TORCHES", "2.13").split()


def test_name_says_where_it_runs(wheel: Path) -> None:
    torches = re.escape(".".join(f"torch{minor}" for minor in TORCHES))
    assert re.fullmatch(rf"commtap-[0-9.]+\+{torches}-py3-none-manylinux_2_28_x86_64\.whl", wheel.name)
    assert wheel.stat().st_size < needs.LARGEST_WHEEL


def test_pages(unpacked: Path) -> None:
    """`commtap help` reads them; images are for browsers."""
    docs = unpacked / "commtap" / "_native" / "share" / "commtap" / "docs"
    pages = {path.relative_to(REPOSITORY / "docs") for path in (REPOSITORY / "docs").rglob("*.md")}
    assert {path.relative_to(docs) for path in docs.rglob("*.md")} == pages
    assert not (docs / "images").exists()


def test_checksums(wheel: Path) -> None:
    lines = (wheel.parent / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    said = {name: checksum for checksum, name in (line.split("  ") for line in lines)}
    archives = sorted(wheel.parent.glob("commtap-*.tar.gz"))
    assert len(archives) == 2  # the wheel's files, and the sources
    assert said == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (wheel, *archives)}


def test_needs_of_a_system(unpacked: Path, wheel: Path) -> None:
    """The stub runs with glibc 2.17, everything else with that of 2.28's systems."""
    binaries = {path.name for path in needs.binaries_of(unpacked)}
    assert {"commtap", "libcommtap.so", *(f"libcommtap-tracker-{minor}.so" for minor in TORCHES)} <= binaries
    assert needs.faults_of(unpacked, wheel) == []
    for tracker in unpacked.rglob("libcommtap-tracker-*.so"):  # torch's copies, in the job
        assert {"libstdc++.so.6", "libtorch_cpu.so", "libc10.so"} <= set(needs.loaded_libraries(tracker))


def test_torch_exports_what_the_tracker_imports(unpacked: Path) -> None:
    """The installed torch: `./dev wheel --link-check` does the same for each release and processor."""
    [tracker] = unpacked.rglob(TRACKER.name)
    folder = Path(importlib.util.find_spec("torch").origin).parent / "lib"
    assert needs.missing_symbols(tracker, [folder / "libtorch_cpu.so", folder / "libc10.so"]) == []
    assert len(needs.missing_symbols(tracker, [folder / "libc10.so"])) > 20  # so the check can fail


def test_auditwheel_agrees(wheel: Path) -> None:
    """auditwheel reads the needs by itself. It does not know that a job has libtorch."""
    audit = BUILD.parent / "build" / "wheel" / "venv" / "bin" / "auditwheel"
    said = subprocess.run([str(audit), "show", str(wheel)], check=True, capture_output=True, text=True).stdout
    text = " ".join(said.split())
    newer = re.findall(r'constrains the platform tag to "([^"]+)"', text)
    assert set(newer) <= {"manylinux_2_28_x86_64"} | {f"manylinux_2_{minor}_x86_64" for minor in range(17, 28)}, said


def test_licences_and_list_of_parts(unpacked: Path) -> None:
    [info] = unpacked.glob("*.dist-info")
    texts = {path.stem: path.read_text(encoding="utf-8", errors="replace") for path in info.glob("licenses/parts/*")}
    assert texts.keys() == {part.name.replace(" ", "-") for part in PARTS}
    assert all(re.search("permission|license", text, re.IGNORECASE) for text in texts.values())
    bill = json.loads((info / "sboms" / "commtap.spdx.json").read_text(encoding="utf-8"))
    assert {package["name"] for package in bill["packages"]} == {"commtap"} | {part.name for part in PARTS}
    assert all(re.match(r"\d", package["versionInfo"]) for package in bill["packages"])


def test_sources_of_a_tracker(unpacked: Path) -> None:
    """commtap build-tracker has every source of the tracker and of what is linked into it."""
    [listed] = unpacked.rglob("share/commtap/tracker/sources.json")
    names = json.loads(listed.read_text(encoding="utf-8"))
    files = [*(file for unit in names["units"] for file in unit), *names["c_files"], names["exports"]]
    assert len(files) == len(set(files))
    for file in files:
        content = (listed.parent / file).read_bytes()
        assert file.startswith("third_party/") or content == (REPOSITORY / file).read_bytes()
    tracker = {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "tracker").rglob("*.cc")}
    assert {
        file for file in tracker if not file.startswith(("tracker/python/", "tracker/graphs/", "tracker/cpython/"))
    } <= set(files)
    assert 'COMMTAP_VERSION="' in " ".join(names["defines"])


def test_manual_and_completions(unpacked: Path) -> None:
    [data] = unpacked.glob("*.data/data")
    places = ("man/man1/commtap.1", "bash-completion/completions/commtap.bash", "zsh/site-functions/_commtap")
    for place in (*places, "fish/vendor_completions.d/commtap.fish"):
        assert "commtap" in (data / "share" / place).read_text(encoding="utf-8")


def test_from_an_empty_folder(machine: BareMachine) -> None:
    """README's first commands work, and nothing stays after pip uninstall."""
    (machine.work / "train.py").write_text(TRAIN, encoding="utf-8")
    said = machine.run("commtap", "run", "--out", "out", "--", "torchrun", "--nproc-per-node", "2", "train.py").stderr
    assert re.search(r"all_reduce +default_pg +2 +1 ", said)  # per rank and step
    reports = [Report.read(path) for path in sorted((machine.work / "out").glob("rank-*.json"))]
    assert [report.not_seen for report in reports] == [[], []]
    assert machine.run("python", "-m", "commtap", "show", "out").stdout.count("all_reduce") > 0
    assert re.search(r"^ok +tracker ", machine.run("commtap", "doctor").stdout, re.MULTILINE)
    said = machine.run("commtap", "demo").stderr
    assert "commtap-demo" in said
    assert list((machine.work / "commtap-demo").glob("*.html"))
    light = "import commtap, sys; print('torch' in sys.modules, commtap.__file__)"
    assert machine.run("python", "-c", light).stdout.startswith("False ")
    machine.run("pip", "uninstall", "--quiet", "--yes", "commtap")
    assert [path for path in machine.venv.rglob("*commtap*") if "__pycache__" not in path.parts] == []


def test_archive(wheel: Path, tmp_path: Path) -> None:
    """The archive has these files for a machine without pip: the command finds the stub next to it."""
    [archive] = wheel.parent.glob("commtap-*-linux-*.tar.gz")
    subprocess.run(["tar", "--extract", "--file", str(archive), "--directory", str(tmp_path)], check=True)
    [root] = tmp_path.iterdir()
    job = [sys.executable, str(REPOSITORY / "tests" / "jobs" / "children.py"), "helper"]
    out = tmp_path / "out"
    subprocess.run(
        [str(root / "bin" / "commtap"), "run", "--out", str(out), "--", *job], check=True, capture_output=True
    )
    [path] = out.rglob("*.json")
    assert Report.read(path).table("kind") == {"all_reduce": 5}
    ask = (
        "from commtap.locations import command_path, library_path; "
        "print(command_path().resolve(), library_path().resolve())"
    )
    found = subprocess.run(
        [sys.executable, "-c", ask], env={"PYTHONPATH": str(root / "lib" / "python")}, capture_output=True, text=True
    ).stdout
    assert found.split() == [str(root / "bin" / "commtap"), str(root / "lib" / "commtap" / "libcommtap.so")]


@pytest.mark.parametrize("compiler", ["cc", "musl-gcc"])
def test_stub_of_the_wheel_harms_no_program(unpacked: Path, tmp_path: Path, compiler: str) -> None:
    """It is put into every process of a machine, and does nothing in one without torch, glibc's or musl's."""
    (tmp_path / "hello.c").write_text('#include <stdio.h>\nint main(void) { puts("hello"); return 3; }\n')
    subprocess.run([compiler, "hello.c", "-o", "hello"], cwd=tmp_path, check=True)
    [stub] = unpacked.rglob("libcommtap.so")
    done = subprocess.run([str(tmp_path / "hello")], env={"LD_PRELOAD": str(stub)}, capture_output=True)
    assert (done.stdout, done.stderr, done.returncode) == (b"hello\n", b"", 3)


@pytest.mark.parametrize("caller", CALLERS, ids=str)
def test_stub_of_the_wheel_leaves_the_callers_path(unpacked: Path, tmp_path: Path, caller: Caller) -> None:
    """dlopen() searches the RPATH or RUNPATH of its caller: cuDNN and other libraries find their parts so."""
    [stub] = unpacked.rglob("libcommtap.so")
    for command in openings(caller, tmp_path):
        for variables in ({}, {"LD_PRELOAD": str(stub)}, {"LD_PRELOAD": str(stub), "COMMTAP": "0"}):
            done = subprocess.run(command, env=variables, cwd="/", capture_output=True)
            assert (done.returncode, done.stdout, done.stderr) == (FOUND, b"", b""), command
