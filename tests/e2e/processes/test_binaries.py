# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The dependencies, exports and hooks of commtap's binaries."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from callers import CALLERS, FOUND, Caller, openings
from harness import BUILD, LIBRARY, PYTHON_PARTS, SITE, TRACKER

[PYTHON_PART] = PYTHON_PARTS.glob("libcommtap-python-3.*.so")

HOOKS = {"_exit", "_Exit", "quick_exit", "abort", "kill", "killpg", "waitpid"}
MILLISECONDS = "NSt6chrono8durationIlSt5ratioILl1ELl1000EEEE"
#: Where c10d's Gloo backend queues, runs and waits for its works.
TORCH_HOOKS = {
    "_ZN4c10d16ProcessGroupGloo7enqueueEN3c1013intrusive_ptrINS0_9AsyncWorkE"
    "NS1_6detail34intrusive_target_default_null_typeIS3_EEEE",
    "_ZN4c10d16ProcessGroupGloo9AsyncWork7executeERKN3c1013intrusive_ptrIS1_"
    "NS2_6detail34intrusive_target_default_null_typeIS1_EEEE",
    f"_ZN4c10d4Work4waitE{MILLISECONDS}",
    f"_ZN4c10d16ProcessGroupGloo8SendWork4waitE{MILLISECONDS}",
    f"_ZN4c10d16ProcessGroupGloo8RecvWork4waitE{MILLISECONDS}",
    "_ZN4c10d7Reducer17finalize_backwardEv",
    # What destroy_process_group() calls for the default group.
    "_ZN4c10d29unregister_all_process_groupsEv",
    # What a job calls before it uses a tensor of symmetric memory.
    "_ZN4c10d16symmetric_memory10rendezvousERKN2at6TensorERKSt8optional"
    "INSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEE",
}


#: By which the stub notices torch in a Python process: the extension module torch._C calls it.
C10_HOOKS = {"_ZN3c1011initLoggingEv"}

#: NCCL 2.32 functions: data movement (two families), groups, communicators, memory; and the profiler's tables. RCCL has
#: three more.
NCCL_HOOKS = {
    *(
        f"nccl{name}{variant}"
        for name in (
            "AllReduce",
            "ReduceScatter",
            "AllGather",
            "AlltoAll",
            "Broadcast",
            "Reduce",
            "Gather",
            "Scatter",
        )
        for variant in ("", "Config")
    ),
    *(f"nccl{name}" for name in ("Bcast", "Send", "Recv", "PutSignal", "Signal", "WaitSignal")),
    *(f"ncclGroup{name}" for name in ("Start", "End", "SimulateEnd")),
    *(f"ncclCommInit{name}" for name in ("Rank", "RankConfig", "RankScalable", "All")),
    *(f"ncclComm{name}" for name in ("Split", "Shrink", "Grow", "Suspend", "Resume", "Revoke")),
    *(f"ncclComm{name}" for name in ("Finalize", "Destroy", "Abort", "Register", "Deregister")),
    *(f"nccl{name}" for name in ("CommWindowRegister", "CommWindowDeregister", "DevCommCreate", "DevCommDestroy")),
    *(f"nccl{name}" for name in ("MemAlloc", "MemFree")),
    *(f"nccl{name}" for name in ("AllReduceWithBias", "AllToAll", "AllToAllv")),
    *(f"ncclProfiler_v{version}" for version in (4, 5, 6, 7)),
}


#: CUDA runtime functions that order streams, and that capture, make and launch graphs, each under the versions of two
#: majors.
CUDA_HOOKS = {
    *(f"cuda{name}" for name in ("EventRecord", "EventRecordWithFlags", "EventSynchronize")),
    *(f"cudaStream{name}" for name in ("WaitEvent", "Synchronize")),
    *(f"cudaStream{name}" for name in ("BeginCapture", "BeginCaptureToGraph", "EndCapture")),
    *(f"cudaGraph{name}" for name in ("Instantiate", "InstantiateWithFlags", "InstantiateWithParams")),
    *(f"cudaGraph{name}" for name in ("ExecUpdate", "Clone", "AddChildGraphNode", "Launch", "Destroy", "ExecDestroy")),
}
CUDA_VERSIONS = {"libcudart.so.12", "libcudart.so.13"}


def needed(library: Path) -> set[str]:
    """Returns the libraries that the loader loads together with this one."""
    done = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    return {line.split("[")[1].rstrip("]") for line in done.stdout.splitlines() if "(NEEDED)" in line}


def exported(library: Path) -> set[str]:
    """Returns the symbols that other libraries can see."""
    done = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}


def imported(library: Path) -> set[str]:
    """Returns the symbols that other libraries must define."""
    done = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}


def test_needed() -> None:
    """The stub needs only libc, because every process loads it. The tracker finds the libtorch that the job loaded."""
    loader = "ld-linux-x86-64.so.2"
    runtime = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", loader}
    if SITE is not None:  # a wheel is linked for a glibc before 2.34, whose libc is in several libraries
        runtime |= {"libpthread.so.0", "libdl.so.2"}
    assert needed(LIBRARY) <= {"libc.so.6", "libdl.so.2"}
    assert {"libtorch_cpu.so", "libc10.so"} <= needed(TRACKER) <= {"libtorch_cpu.so", "libc10.so"} | runtime
    assert needed(PYTHON_PART) <= runtime


def test_stub_runs_on_an_old_glibc() -> None:
    """A preload that needs a newer glibc ends every process of the job. The limit is 2.17, as in manylinux2014."""
    done = subprocess.run(["readelf", "-V", LIBRARY], capture_output=True, text=True, check=True)
    versions = {tuple(map(int, found.split("."))) for found in re.findall(r"Name: GLIBC_(\S+)", done.stdout)}
    assert max(versions) <= (2, 17)


def test_stub_has_libdl_of_an_old_glibc() -> None:
    """Before glibc 2.34, dlsym() and its family are only in libdl.so.2, which a program may not load."""
    assert "libdl.so.2" in needed(LIBRARY)


@pytest.mark.parametrize(
    ("library", "others"),
    [
        (LIBRARY, HOOKS | C10_HOOKS | TORCH_HOOKS | NCCL_HOOKS | CUDA_HOOKS),
        (TRACKER, set()),
        (PYTHON_PART, set()),
    ],
    ids=["stub", "tracker", "python"],
)
def test_exported(library: Path, others: set[str]) -> None:
    """No symbol of spdlog, fmt, nlohmann_json or commtap's C++ can clash with one of the job's."""
    names = exported(library) - CUDA_VERSIONS  # GNU's linker makes a symbol of each version, LLVM's does not
    assert others <= names
    assert {name for name in names - others if not name.startswith("commtap")} == set()


def test_hooks_of_cuda_have_the_versions_of_two_runtimes() -> None:
    done = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in done.stdout.splitlines()}
    assert names >= {f"{name}@{version}" for name in CUDA_HOOKS for version in CUDA_VERSIONS}


def test_hooks_have_torchs_names() -> None:
    """A mangled name contains all parameter types: torch would never call a hook whose name it lacks."""
    import torch

    folder = Path(torch.__file__).parent / "lib"
    assert exported(folder / "libtorch_cpu.so") >= TORCH_HOOKS
    assert exported(folder / "libc10.so") >= C10_HOOKS
    assert imported(folder / "libtorch_python.so") >= C10_HOOKS


def compile_c(folder: Path, name: str, source: str, *flags: str) -> Path:
    (folder / f"{name}.c").write_text(source)
    subprocess.run(["cc", folder / f"{name}.c", "-o", folder / name, *flags], check=True)
    return folder / name


@pytest.mark.parametrize("caller", CALLERS, ids=str)
def test_what_a_library_is_found_by_is_its_callers(caller: Caller, tmp_path: Path) -> None:
    """The build tree's stub; test_wheel.py and test_aarch64.py do the same with those that are shipped."""
    preload = {"LD_PRELOAD": str(BUILD / "shim" / "libcommtap.so")}
    for command in openings(caller, tmp_path):
        for variables in ({}, preload, preload | {"COMMTAP": "0"}):
            done = subprocess.run(command, env=variables, cwd="/", capture_output=True)
            assert (done.returncode, done.stdout, done.stderr) == (FOUND, b"", b""), command


def test_dlerror_and_errno_are_the_jobs(tmp_path: Path) -> None:
    """A failed dlopen() leaves the same dlerror() and errno as without the stub."""
    source = """
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdio.h>
        int main(void) {
          errno = 77;
          if (dlopen("/nowhere/torch/_C.so", RTLD_NOW) == 0) puts(dlerror());
          printf("%d %d\\n", dlerror() == 0, errno == 77 || errno == ENOENT);
          return 0;
        }
    """
    program = compile_c(tmp_path, "program", source, "-ldl")
    said = [
        subprocess.run([program], env={**os.environ, "LD_PRELOAD": preload}, capture_output=True, check=True)
        for preload in ("", str(LIBRARY))
    ]
    assert said[0].stdout == said[1].stdout != b""
    assert said[0].stderr == said[1].stderr == b""
