# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the screenshots of docs/html.md and README.md, and the answer that README.md quotes: `./dev screenshots`.

The pictures of docs/html.md show a made-up job of 64 ranks. README.md's show two runs of docs/examples/train.py;
readme.txt has the names in its picture.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import COMMAND
from html_page import OpenPage, launch, open_page, write_page
from job_samples import JobSample, one_call_less, transformer
from playwright.sync_api import Browser, sync_playwright

from report import REPOSITORY

EXAMPLES = REPOSITORY / "docs" / "examples"
EXAMPLE = EXAMPLES.relative_to(REPOSITORY) / "train.py"


def job() -> JobSample:
    """Returns a transformer of 32 layers on 64 ranks. One rank makes an extra call, another was killed."""
    sample = transformer(layers=32, ranks=64)
    sample.uneven = {(rank, "all_gather"): 1.35 for rank in range(7, 64, 8)}
    sample.exits = {3: "killed"}
    sample.disagreements = [one_call_less(256 << 20)]
    add_steps(sample)
    add_times(sample)
    add_nccl(sample)
    return sample


def add_nccl(sample: JobSample) -> None:
    """Adds the NCCL calls behind each collective, and calls that no collective makes."""
    functions = {"all_reduce": "ncclAllReduce", "all_gather": "ncclAllGather", "reduce_scatter": "ncclReduceScatter"}
    for row in sample.rows:
        if row["kind"] in functions:
            count, size = int(row["count"]["mean"]), int(row["bytes"]["mean"])
            sample.calls(functions[row["kind"]], row, count, size // count)
    sample.calls("ncclAllGather", "Transformer.output", 4, 1 << 20)


def add_steps(sample: JobSample) -> None:
    """Adds ten steps; the first takes longer and the seventh communicates more."""
    for number in range(10):
        more = 3 if number == 6 else 2
        amounts = [("all_gather", "dp", 65, 28 << 30), ("reduce_scatter", "dp", 32, 27 << 30)]
        amounts.append(("all_reduce", "tp", 64 * more, (19 << 30) * more))
        ms = 2100.0 if number == 0 else 640.0 + 35 * more + 3 * (number % 3)
        sample.step(number, (ms, ms * 1.01), amounts)


def add_times(sample: JobSample) -> None:
    """Adds durations for each kind and group, and for two modules."""
    for module, kind, group, count, running_us, blocked_us, late_us in (
        (None, "all_gather", "dp", 650, 5200, 310, 40),
        (None, "reduce_scatter", "dp", 320, 9900, 2700, 65),
        (None, "all_reduce", "tp", 1280, 810, 790, 24),
        ("Transformer.layers.7.attention", "all_reduce", "tp", 40, 1250, 1210, 410),
        ("Transformer.output", "all_gather", "tp", 10, 2900, 2800, 18),
    ):
        sample.timed(module, kind, group, count, running_us * 1000, blocked_us * 1000, late_us * 1000)


def shoot(opened: OpenPage, folder: Path, name: str) -> None:
    """Takes a screenshot of the window."""
    path = folder / f"{name}.png"
    opened.page.screenshot(path=path)
    print(f"{path}: {path.stat().st_size >> 10} KiB")


def train(folder: Path, name: str, *arguments: str) -> None:
    """Trains docs/examples/train.py on four ranks under commtap; the reports are in `folder`/`name`."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=4"]
    # The page shows the command line, which must not depend on the machine: torchrun reads PYTHON_EXEC.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [COMMAND, "run", "--out", folder / name, "--run-id", name, "--", *launcher, EXAMPLE, *arguments],
        cwd=REPOSITORY,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHON_EXEC": "python", "PATH": path},
        check=True,
    )


def write_answer(folder: Path) -> None:
    """Writes what `commtap diff` says of the two runs, without the lines that name their times."""
    done = subprocess.run([COMMAND, "diff", "before", "after"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1, done
    head, _, tables = done.stdout.partition("\n\n")
    (EXAMPLES / "train-diff.txt").write_text(f"{head.splitlines()[0]}\n\n{tables}", encoding="utf-8")


def shoot_real_job(browser: Browser, temporary: Path, folder: Path) -> None:
    """Makes what README.md shows."""
    train(temporary, "before", "--keep-gathered")
    train(temporary, "after")
    write_answer(temporary)
    page = temporary / "after.html"
    subprocess.run([COMMAND, "html", "after", "-o", page], cwd=temporary, check=True)
    window = {"viewport": {"width": 1400, "height": 800}}
    with open_page(browser, page, "#module=Transformer", color_scheme="light", **window) as opened:
        shoot(opened, folder, "readme")
        names = opened.modules()
    (folder / "readme.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")


def shoot_sample(browser: Browser, temporary: Path, folder: Path) -> None:
    """Makes what docs/html.md shows."""
    page = write_page(job().write(temporary / "job.json"), temporary / "report.html")
    window = {"viewport": {"width": 1280, "height": 1460}}
    with open_page(browser, page, color_scheme="light", **window) as opened:
        shoot(opened, folder, "html-light")
        opened.page.set_viewport_size({"width": 1280, "height": 900})
        opened.evaluate("for (const name of ['times', 'nccl']) document.querySelector(`#${name}-card`).open = true")
        opened.evaluate("document.querySelector('#times-card').scrollIntoView(); scrollBy(0, -60)")
        shoot(opened, folder, "html-tables")
        opened.page.set_viewport_size({"width": 1280, "height": 1060})
        opened.evaluate("document.querySelector('#steps-card').scrollIntoView(); scrollBy(0, -60)")
        shoot(opened, folder, "html-time")
    with open_page(browser, page, "#module=Transformer.layers.0", color_scheme="dark", **window) as opened:
        opened.page.locator(".findings summary").first.click()
        shoot(opened, folder, "html-dark")


def shoot_diff(browser: Browser, temporary: Path, folder: Path) -> None:
    """Makes the picture of two runs in docs/html.md: the second gathers half as often in backward."""
    before, after = transformer(layers=32, ranks=64), transformer(layers=32, ranks=64)
    after.run_id = "llama-no-reshard"
    after.argv = [*after.argv, "--no-reshard"]
    for row in after.rows:
        if row["kind"] == "all_gather" and row["phase"] == "backward":
            for name in ("count", "bytes"):
                row[name] |= {part: row[name][part] // 2 for part in ("sum", "min", "mean", "max")}
    after.row(1, "backward", "all_reduce", "dp", 10, 4 << 30)
    paths = before.write(temporary / "before.json"), after.write(temporary / "after.json")
    page = write_page(paths[0], temporary / "diff.html", paths[1])
    window = {"viewport": {"width": 1280, "height": 1150}}
    with open_page(browser, page, color_scheme="light", **window) as opened:
        shoot(opened, folder, "html-diff")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as temporary:
        browser = launch(playwright)
        shoot_real_job(browser, Path(temporary), folder)
        shoot_sample(browser, Path(temporary), folder)
        shoot_diff(browser, Path(temporary), folder)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
