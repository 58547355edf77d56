# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A torch whose classes are not those of the tracker's build: one line, an entry in `not_seen`, the job goes on.

No such torch can be made here. A preloaded library takes the place of one of torch's exported functions, with which the
tracker compares what it reads, and answers like such a torch.
"""

import subprocess
from pathlib import Path

import pytest
from harness import LIBRARY
from test_bad_input import lines, run_job

from report import Report

SOURCES = {
    # OperatorEntry::dumpState(): the text of an op without arguments, as a std::string that the caller has memory for.
    "operators": """
        #include <string.h>
        void *state(char **text) __asm__("_ZNK3c104impl13OperatorEntry9dumpStateB5cxx11Ev");
        void *state(char **text) {
          static const char schema[] = "schema: aten::add.Tensor()";
          text[0] = strdup(schema);
          ((unsigned long *)text)[1] = ((unsigned long *)text)[2] = sizeof(schema) - 1;
          return text;
        }
    """,
    # OperatorEntry::kernelForDispatchKey(): the kernel of the first key for each key.
    "kernels": """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #define NAME "_ZNK3c104impl13OperatorEntry20kernelForDispatchKeyENS_11DispatchKeyE"
        void *kernel(void *op, unsigned short key) __asm__(NAME);
        void *kernel(void *op, unsigned short key) {
          static void *first;
          void *torch = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
          void *(*real)(void *, unsigned short) = (void *(*)(void *, unsigned short))dlsym(torch, NAME);
          first = first ? first : real(op, key);
          return first;
        }
    """,
    # ProcessGroup::getGroupDesc(): a text that is not where the tracker expects the member.
    "groups": """
        void *desc(void *group) __asm__("_ZNK4c10d12ProcessGroup12getGroupDescB5cxx11Ev");
        void *desc(void *group) {
          static struct { char *text; unsigned long size; char own[16]; } none = {none.own, 0, ""};
          (void)group;
          return &none;
        }
    """,
    # Work::retrieveOpType(): another operation than the member.
    "works": """
        unsigned char operation(void *work) __asm__("_ZNK4c10d4Work14retrieveOpTypeEv");
        unsigned char operation(void *work) { (void)work; return 99; }
    """,
}


def other_torch(folder: Path, name: str) -> str:
    """Returns the value of LD_PRELOAD that makes torch answer as one of another layout."""
    library = folder / f"lib{name}.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-xc", "-", "-o", library, "-ldl"], input=SOURCES[name], text=True, check=True
    )
    return f"{LIBRARY} {library}"


def the_report(folder: Path) -> Report:
    [path] = folder.rglob("*.json")
    return Report.read(path)


@pytest.mark.parametrize(
    ("name", "difference"),
    [
        ("operators", "operators: the number of arguments is 0 and reads as 3"),
        ("kernels", "operators: the table of kernels at "),
    ],
)
def test_at_the_start(tmp_path: Path, name: str, difference: str) -> None:
    """The tracker stays off. A rank leaves a report that says why."""
    settings = {"LD_PRELOAD": other_torch(tmp_path, name), "COMMTAP_OUT": "out", "RANK": "0", "WORLD_SIZE": "1"}
    [said] = lines(run_job(tmp_path, **settings))
    assert "commtap stays off: torch 2." in said
    assert difference in said
    assert "install a release of torch; nothing is counted: run `commtap doctor`" in said
    report = the_report(tmp_path / "out")
    assert report.collectives == []
    [entry] = report.not_seen
    assert (entry["reason"], entry["count"]) == ("torch_layout", 1)
    assert entry["detail"].startswith(difference)


def test_the_version_can_be_forced_and_the_layout_cannot(tmp_path: Path) -> None:
    settings = {"LD_PRELOAD": other_torch(tmp_path, "operators"), "COMMTAP_OUT": "out", "COMMTAP_TORCH": "force"}
    [said] = lines(run_job(tmp_path, **settings))
    assert "commtap stays off: torch 2." in said
    assert not list((tmp_path / "out").glob("*.json"))


def test_at_the_first_group(tmp_path: Path) -> None:
    """No collective is counted, and each one is in `not_seen`."""
    [said] = lines(run_job(tmp_path, LD_PRELOAD=other_torch(tmp_path, "groups"), COMMTAP_OUT="out"))
    difference = "process groups: the description's address is "
    assert difference in said
    assert "install a release of torch; no collective is counted: run `commtap doctor`" in said
    report = the_report(tmp_path / "out")
    assert report.collectives == []
    [entry] = report.not_seen
    assert (entry["reason"], entry["count"]) == ("torch_layout", 5)
    assert entry["detail"].startswith(difference)


def test_at_the_first_work(tmp_path: Path) -> None:
    """All collectives are counted, and none is timed."""
    settings = {"LD_PRELOAD": other_torch(tmp_path, "works"), "COMMTAP_OUT": "out", "COMMTAP_TIMING": "host"}
    [said] = lines(run_job(tmp_path, **settings))
    assert "works: the operation is 99 and reads as " in said
    assert "no collective on Gloo is timed: run `commtap doctor`" in said
    report = the_report(tmp_path / "out")
    assert report.table("kind") == {"all_reduce": 5}
    assert {entry["reason"]: entry["count"] for entry in report.not_seen} == {"torch_layout": 1, "untimed": 5}
    assert all("time" not in row for row in report.collectives)
