# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The plugin of pytest: in one process, with mp.spawn, forks, xdist and torchrun; and runs without its options."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from harness import LIBRARY, PACKAGE, SITE

#: A test suite of a library's author. EXTRA adds one all-gather per forward.
SUITE = """
import multiprocessing
import os
import time

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(2)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
            dist.all_reduce(x.detach())
        if "EXTRA" in os.environ:
            dist.all_gather([torch.ones(2) for _ in range(dist.get_world_size())], torch.ones(2))
        return x


def begin(rank, ranks, file):
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=ranks)


def train(steps):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(steps):
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()


def work(rank, ranks, file):
    begin(rank, ranks, file)
    train(2)
    time.sleep(0.2)  # A Gloo worker releases its last call under the GIL; at the exit, pytorch#190489 ends the process.
    dist.destroy_process_group()


@pytest.fixture
def world(request):
    file = f"{os.environ['STORES']}/{request.node.name}"
    begin(int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1)), file)
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("before", [0, 1])
def test_process(comms, before):
    train(before)
    kept = Net()
    kept(torch.ones(2, 4))
    with comms.record() as seen:
        train(2)
    seen.assert_matches("step")
    seen.assert_counts(all_reduce=2, per="step")
    seen.assert_counts(all_reduce=4, module="Net", group="default_*", phase="forward")


def test_spawn(comms, tmp_path):
    with comms.record() as seen:
        mp.spawn(work, (2, tmp_path / "store"), 2)
    seen.assert_matches("spawn")
    seen.assert_counts(all_reduce=2, per="step")


def test_fork(comms, tmp_path):
    with comms.record() as seen:
        child = multiprocessing.get_context("fork").Process(target=work, args=(0, 1, tmp_path / "store"))
        child.start()
        child.join()
    seen.assert_counts(all_reduce=4)


def test_missing(comms):
    with comms.record() as seen:
        pass
    seen.assert_counts()
    if not comms.update:
        with pytest.raises(AssertionError, match="no snapshot .*none.json: run pytest --comms-update to write it"):
            seen.assert_matches("none")
"""


def environment(folder: Path, **variables: str) -> dict[str, str]:
    unwanted = ("COMMTAP", "LD_PRELOAD", "PYTEST", "TORCH", "RANK", "WORLD_SIZE", "LOCAL_RANK")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    own = {"PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    scratch = folder / ".scratch"
    scratch.mkdir(exist_ok=True)
    # A store is for one process group: a group that finds the keys of an earlier one may wait for ever.
    stores = tempfile.mkdtemp(dir=scratch)
    return kept | own | {"STORES": stores, "TMPDIR": str(scratch)} | variables


#: A wheel names its plugin to pytest; in a checkout the command line must.
PLUGIN = () if SITE else ("-p", "commtap.pytest_plugin")
NO_PLUGIN = ("-p", "no:commtap.pytest_plugin")
MODULE = (sys.executable, "-m", "pytest")
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--rdzv-endpoint=127.0.0.1:0",
            "--rdzv-backend=c10d", "-m", "pytest")  # fmt: skip


def run(
    folder: Path, command: tuple[str, ...], *arguments: str, plugin: bool = True, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs pytest in a folder, by `command`, to its end."""
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", *(PLUGIN if plugin else NO_PLUGIN), *arguments],
        cwd=folder,
        env=environment(folder, **variables),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the suite and its snapshots, which this run wrote."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_suite.py").write_text(SUITE, encoding="utf-8")
    script = str(Path(sys.executable).with_name("pytest"))
    done = run(folder, (script,), "--commtap", "--comms-update")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout
    assert "warning" not in done.stdout
    assert "commtap: preloaded, reports in " in done.stdout
    return folder


def test_snapshots(suite: Path) -> None:
    """They have no time, host, pid or path, and ranks that are alike once."""
    folder = suite / "__comms__" / "test_suite"
    assert sorted(path.name for path in folder.iterdir()) == ["spawn.json", "step.json"]
    spawn = json.loads((folder / "spawn.json").read_text(encoding="utf-8"))
    [report] = spawn["reports"]
    assert report["ranks"] == [0, 1]
    [row] = report["collectives"]
    assert row == {
        "module": "Net",
        "phase": "forward",
        "op": "c10d.allreduce_",
        "kind": "all_reduce",
        "group": "default_pg",
        "dtype": "float32",
        "reduce_op": "sum",
        "async": False,
        "count": 4,
        "bytes": 128,
    }
    assert [step["times"] for step in report["steps"]] == [2]


def test_one_more_all_gather(suite: Path) -> None:
    """Without --commtap: in this process, whatever ran before, and in those of mp.spawn."""
    done = run(suite, MODULE, "--tb=short", EXTRA="1")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "4 failed, 1 passed" in done.stdout
    assert "step.json has other communication (run pytest --comms-update to accept it)" in done.stdout
    assert "spawn.json has other communication" in done.stdout
    assert "all_gather" in done.stdout.partition("spawn.json has other communication")[2]
    assert "before  snapshot: " in done.stdout
    assert "commtap did not count 1 forked processes: run pytest --commtap" in done.stdout


def test_as_before_on_workers_of_xdist(suite: Path) -> None:
    done = run(suite, MODULE, "--commtap", "-n2", "-q", "-k", "not spawn")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout


def test_torchrun(suite: Path) -> None:
    """Each rank has a snapshot of its own and fails by itself: the second, as if it had communicated less before."""
    folder = suite / "__comms__" / "test_suite"
    spawn = (folder / "spawn.json").read_text(encoding="utf-8")
    less = spawn.replace('"count": 4, "bytes": 128', '"count": 3, "bytes": 96')
    for rank, text in enumerate((spawn, less)):
        own = text.replace('"ranks": [0, 1]', f'"ranks": [{rank}]')
        (folder / f"step.rank{rank}.json").write_text(own, encoding="utf-8")
    done = run(suite, TORCHRUN, "--commtap", "-k", "test_process")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count("2 passed") == 1
    assert done.stdout.count("2 failed") == 1
    assert "step.rank1.json has other communication" in done.stdout
    assert "step.rank0.json has other communication" not in done.stdout


TRIVIAL = """
import os
import sys


def test_passes():
    print("a line of a test")
    os.write(1, b"a line of a descriptor\\n")


def test_fails():
    assert "torch" not in sys.modules
    assert os.environ.get("LD_PRELOAD", "") == "nothing"
"""


@pytest.fixture
def trivial(tmp_path: Path) -> Path:
    (tmp_path / "test_trivial.py").write_text(TRIVIAL, encoding="utf-8")
    return tmp_path


def lines_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Returns the output without times, and without what names the plugin."""
    lines = [re.sub(r" in [\d.]+s.*", "", line) for line in done.stdout.splitlines()]
    return [line.strip("=") for line in lines if not line.startswith(("plugins:", "commtap:"))] + [done.stderr]


@pytest.mark.parametrize("arguments", [("-q",), ("-s",), ("-x", "--lf"), ("--collect-only",), ("-k", "none")])
def test_without_the_options(trivial: Path, arguments: tuple[str, ...]) -> None:
    """The plugin changes nothing, and loads neither torch nor the library."""
    bare = run(trivial, MODULE, *arguments, plugin=False)
    with_plugin = run(trivial, MODULE, *arguments)
    assert with_plugin.returncode == bare.returncode
    assert lines_of(with_plugin) == lines_of(bare)
    assert "commtap" not in with_plugin.stdout.replace("commtap-0", "")


@pytest.mark.parametrize("arguments", [("-q",), ("-s",), ("-x",), ("--collect-only",), ("-k", "none"), ("--nonsense",)])
def test_started_again(trivial: Path, arguments: tuple[str, ...]) -> None:
    """Output and exit status are those of a run that is not started again, whatever pytest captures."""
    bare = run(trivial, MODULE, *arguments, LD_PRELOAD=str(LIBRARY), plugin=False)
    again = run(trivial, MODULE, "--commtap", *arguments, COMMTAP_OUT=str(trivial / "out"))
    assert again.returncode == bare.returncode
    assert lines_of(again) == lines_of(bare)


def test_switched_off(trivial: Path) -> None:
    """`-p no:commtap` is what users of other plugins expect; the name of the module works too."""
    off = ("-p", "no:commtap")
    (trivial / "test_comms.py").write_text("def test_comms(comms):\n    pass\n", encoding="utf-8")
    done = run(trivial, (*MODULE, *off), "-k", "test_passes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "unrecognized arguments: --commtap" in run(trivial, (*MODULE, *off), "--commtap").stderr
    assert "the fixture comms is switched off by -p no:commtap" in run(trivial, (*MODULE, *off), "-k", "comms").stdout


def test_no_folder_is_left(trivial: Path) -> None:
    """The last process to end is pytest itself; what removes its reports ends after it."""
    done = run(trivial, MODULE, "--commtap", "-k", "test_passes")
    assert " until the end\n" in done.stdout
    folders = trivial / ".scratch"
    for _ in range(500):
        if not list(folders.glob("commtap-pytest-*")):
            break
        time.sleep(0.01)
    assert list(folders.glob("commtap-pytest-*")) == []


def test_debugger(trivial: Path) -> None:
    """It reads the terminal's input in the program that was started again."""
    done = subprocess.run(
        [*MODULE, *PLUGIN, "-p", "no:cacheprovider", "--commtap", "--pdb", "-k", "test_fails"],
        cwd=trivial,
        env=environment(trivial),
        input="p 41 + 1\nc\n",
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 1
    assert "(Pdb) 42" in done.stdout


def test_a_program_that_calls_pytest(trivial: Path) -> None:
    """It is not started again: what it did before would happen twice."""
    (trivial / "tests.py").write_text(
        "import pytest, sys\nprint('once')\nsys.exit(pytest.main(sys.argv[1:]))\n", encoding="utf-8"
    )
    done = run(trivial, (sys.executable, "tests.py"), "--commtap", "-k", "test_passes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("once") == 1
    assert "commtap: not preloaded: tests.py calls pytest" in done.stdout
