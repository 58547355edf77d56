# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the pictures of the HTML report that docs/html.md shows: `./dev screenshots`."""

import sys
import tempfile
from pathlib import Path

from html_page import OpenPage, launch, open_page, write_page
from job_samples import JobSample, one_call_less, transformer
from playwright.sync_api import sync_playwright


def job() -> JobSample:
    """64 ranks of a transformer with 32 layers; one rank makes one call more, another died."""
    sample = transformer(layers=32, ranks=64)
    sample.uneven = {(rank, "all_gather"): 1.35 for rank in range(7, 64, 8)}
    sample.exits = {3: "killed"}
    sample.disagreements = [one_call_less(256 << 20)]
    return sample


def shoot(opened: OpenPage, folder: Path, name: str) -> None:
    """What is in the window."""
    path = folder / f"{name}.png"
    opened.page.screenshot(path=path)
    print(f"{path}: {path.stat().st_size >> 10} KiB")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as temporary:
        browser = launch(playwright)
        page = write_page(job().write(Path(temporary) / "job.json"), Path(temporary) / "report.html")
        window = {"viewport": {"width": 1280, "height": 1180}}
        with open_page(browser, page, color_scheme="light", **window) as opened:
            shoot(opened, folder, "html-light")
            opened.page.set_viewport_size({"width": 1280, "height": 900})
            opened.evaluate("scrollTo(0, document.body.scrollHeight)")
            shoot(opened, folder, "html-tables")
        with open_page(browser, page, "#module=Transformer.layers.0", color_scheme="dark", **window) as opened:
            opened.page.locator(".findings summary").first.click()
            shoot(opened, folder, "html-dark")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
