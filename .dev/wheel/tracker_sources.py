# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Adds to a wheel what `commtap build-tracker` compiles: the tracker's sources, the headers of the libraries that go
inside, and a list of them, sources.json (tools/build_tracker/build_plan.h).

The list is what Meson has compiled: the sources of each of its unity files stay together.
"""

import json
import re
import shutil
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
#: What is linked into a tracker: Meson's names, a tracker's own without its torch.
TARGETS = ("commtap-report", "commtap-log", "commtap-tracker", "commtap-compression")
#: Only for a compiler whose C++ library is not torch's (docs/design/wheel.md).
NOT_HERE = "tracker/compat/"
ROOMS = ("report", "tracker", "shim")
LIBRARIES = ("nlohmann", "spdlog", "fmt")
#: Where the headers of the libraries lie that Meson compiles, below library_sources.fetch()'s folder.
COMPILED_LIBRARIES = ("zlib", *(f"libzstd/lib{folder}" for folder in ("", "/common", "/compress", "/decompress")))
EXPORTS = "tracker/exports.map"
#: Texts that sources include.
TEXTS = ("tracker/collectives/library_ops.txt", "tracker/verify/digest_kernel.ptx")


def _targets(build: Path) -> list[dict[str, object]]:
    """Returns Meson's description of the report's library, the log's and one tracker."""
    found = {}
    for target in json.loads((build / "meson-info" / "intro-targets.json").read_text(encoding="utf-8")):
        name = re.sub(r"-[0-9.]+$", "", target["name"])
        found[name] = target
    return [found[name] for name in TARGETS]


def _sources_in(unity: Path, build: Path) -> list[str]:
    """Returns the sources that a unity file includes, relative to the repository."""
    included = re.findall(r'#include\s*["<](.+?)[">]', unity.read_text(encoding="utf-8"))
    return [str((build / path).resolve().relative_to(REPOSITORY)) for path in included]


def _third_party(source: str) -> str | None:
    """Returns where a library's source lies in the wheel; None for a source of commtap's."""
    _, found, name = source.partition("/wheel/sources/")
    return f"third_party/{name}" if found else None


def list_of_sources(build: Path) -> dict[str, list]:
    """Returns what sources.json holds."""
    found: dict[str, list] = {"defines": [], "units": [], "c_files": [], "exports": EXPORTS}
    for target in _targets(build):
        for group in target["target_sources"]:
            if group.get("language") == "c":
                found["c_files"] += [name for name in map(_third_party, group["sources"]) if name]
            for argument in group.get("parameters") or []:
                if re.match(r"-[DU](COMMTAP|SPDLOG|FMT|ZSTD)_", argument) and argument not in found["defines"]:
                    found["defines"].append(argument)
            for unity in map(Path, group.get("generated_sources") or []):
                files = [file for file in _sources_in(unity, build) if not file.startswith(NOT_HERE)]
                if unity.suffix == ".c":
                    found["c_files"] += files
                elif files:
                    found["units"].append(files)
    return found


def add_sources(build: Path, folder: Path) -> None:
    """Writes the list, the sources in it and all headers that they may include to a folder."""
    listed = list_of_sources(build)
    files = {file for unit in listed["units"] for file in unit} | {EXPORTS}
    files |= {file for file in listed["c_files"] if not file.startswith("third_party/")}
    files |= {str(path.relative_to(REPOSITORY)) for room in ROOMS for path in (REPOSITORY / room).rglob("*.h")}
    files.update(TEXTS)
    for file in sorted(files):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / file, folder / file)
    for library in LIBRARIES:
        shutil.copytree(Path("/usr/include") / library, folder / "third_party" / library)
    sources = build.parents[1] / "sources"
    compiled = [file.removeprefix("third_party/") for file in listed["c_files"] if file.startswith("third_party/")]
    headers = [path.relative_to(sources) for library in COMPILED_LIBRARIES for path in (sources / library).glob("*.h")]
    for name in (*compiled, *headers):
        (folder / "third_party" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sources / name, folder / "third_party" / name)
    (folder / "sources.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
