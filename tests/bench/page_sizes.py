# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the size of a large job's page, and the time to write, open and filter it.

Run as: .venv/bin/python tests/bench/page_sizes.py --layers 1000 --ranks 1000
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e" / "support"))

from html_page import launch, open_page, write_page
from job_samples import transformer

#: Changes a choice and waits until the browser has painted the result.
_CHANGE = """async (value) => {
  const select = document.querySelector("#choose-phase");
  select.value = value;
  const start = performance.now();
  select.dispatchEvent(new Event("change"));
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  return (performance.now() - start) / 1000;
}"""


def opened_s(browser: Browser, path: Path) -> tuple[float, float]:
    """Returns the seconds to open and draw the page, and to redraw it after a filter's change (median of five)."""
    start = time.perf_counter()
    with open_page(browser, path) as opened:
        opened.page.wait_for_selector("#table tbody tr")
        opened.evaluate("new Promise(requestAnimationFrame)")
        opening = time.perf_counter() - start
        changes = [opened.page.evaluate(_CHANGE, value) for value in ("forward", "backward", "", "forward", "")]
    return opening, sorted(changes)[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=1000, help="of the sample transformer; ten modules each")
    parser.add_argument("--ranks", type=int, default=1000)
    arguments = parser.parse_args()
    job = transformer(arguments.layers, arguments.ranks)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        source = job.write(Path(folder) / "job.json")
        start = time.perf_counter()
        page = write_page(source, Path(folder) / "report.html")
        writing = time.perf_counter() - start
        browser = launch(playwright)
        opened_s(browser, page)  # excludes the browser's own start
        opening, changing = opened_s(browser, page)
        browser.close()
        print(f"{len(job.modules):,} modules, {len(job.rows):,} rows of collectives, {arguments.ranks:,} ranks")
        print(f"job report {source.stat().st_size / 2**20:.1f} MiB, page {page.stat().st_size / 2**20:.1f} MiB")
        print(f"write {writing:.1f} s, open {opening:.1f} s, filter {changing:.2f} s")


if __name__ == "__main__":
    main()
