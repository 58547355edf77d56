# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Completes meson-python's wheel, and makes the archive for machines without pip from the same files."""

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

from local_version import add_torches
from toolchain import GLIBC, Target, zig
from tracker_sources import add_sources

REPOSITORY = Path(__file__).resolve().parents[2]
#: What a job has loaded before it loads a tracker.
OF_TORCH = ("libtorch_cpu.so", "libc10.so")


@dataclass(frozen=True)
class Part:
    """A library that is linked or copied in."""

    name: str
    license: str  #: as SPDX writes it
    where: str  #: Debian's package, or a path
    place: str  #: the files that it is in


PARTS = (
    Part("fmt", "MIT", "libfmt-dev", "trackers and their sources, command line"),
    Part("spdlog", "MIT", "libspdlog-dev", "trackers and their sources"),
    Part("nlohmann-json", "MIT", "nlohmann-json3-dev", "trackers and their sources, command line"),
    Part("CLI11", "BSD-3-Clause", "libcli11-dev", "command line"),
    Part("toml++", "MIT", "libtomlplusplus-dev", "command line"),
    Part("simdjson", "Apache-2.0", "sources/simdjson", "command line"),
    Part("cpp-httplib", "MIT", "sources/cpp-httplib", "command line"),
    Part("zlib", "Zlib", "sources/zlib", "trackers and their sources, command line"),
    Part("Zstandard", "BSD-3-Clause", "sources/libzstd", "trackers and their sources, command line"),
    Part("Apache ECharts", "Apache-2.0", "tools/html/vendor", "the HTML report in the command line"),
    Part("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "libstdc++-12-dev", "trackers, Python parts: headers"),
    Part("libc++", "Apache-2.0 WITH LLVM-exception", "zig/libcxx", "command line"),
    Part("libunwind", "Apache-2.0 WITH LLVM-exception", "zig/libunwind", "command line"),
)


def _debian(package: str, field: str) -> str:
    command = ["dpkg-query", "--show", f"--showformat=${{{field}}}", package]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("-")[0]


def _version_and_license(part: Part, work: Path) -> tuple[str, bytes]:
    """Returns a part's version and the text of its licence."""
    kind, _, name = part.where.partition("/")
    if kind == "sources":
        folder = work / "sources"
        [description] = folder.glob(f"{name}_*.dsc")
        return description.stem.partition("_")[2].partition("-")[0], (folder / name / "LICENSE").read_bytes()
    if kind == "zig":
        return metadata.version("ziglang"), (zig().parent / "lib" / name / "LICENSE.TXT").read_bytes()
    if kind == "tools":
        vendor = REPOSITORY / part.where
        texts = [vendor / "LICENSE", vendor / "LICENSE-d3", vendor / "NOTICE"]
        readme = (vendor / "README.md").read_text(encoding="utf-8").split()
        version = next(word.strip(",.()`") for word in readme if word[0].isdigit() and word.count(".") >= 2)
        return version, b"\n".join(text.read_bytes() for text in texts)
    return _debian(part.where, "Version"), Path("/usr/share/doc", part.where, "copyright").read_bytes()


def _bill_of_materials(version: str, versions: dict[str, str], seconds: int) -> str:
    """Returns an SPDX document: https://spdx.github.io/spdx-spec/v2.3/"""
    made = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    unknown = {"downloadLocation": "NOASSERTION", "copyrightText": "NOASSERTION", "filesAnalyzed": False}
    packages = [{"SPDXID": "SPDXRef-commtap", "name": "commtap", "versionInfo": version} | unknown]
    packages[0] |= {"licenseConcluded": "BSD-3-Clause", "licenseDeclared": "BSD-3-Clause"}
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-commtap")]
    for number, part in enumerate(PARTS):
        name = f"SPDXRef-part-{number}"
        packages.append(
            {"SPDXID": name, "name": part.name, "versionInfo": versions[part.name], "comment": part.place}
            | {"licenseConcluded": part.license, "licenseDeclared": part.license}
            | unknown
        )
        relations.append(("SPDXRef-commtap", "CONTAINS", name))
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"commtap-{version}",
        "documentNamespace": f"urn:commtap:{version}:{seconds}",
        "creationInfo": {"created": made, "creators": ["Organization: The commtap authors"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": left, "relationshipType": how, "relatedSpdxElement": right}
            for left, how, right in relations
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _run(*command: object, environment: dict[str, str]) -> None:
    """Runs a command that is silent unless it fails."""
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"wheel: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def complete(
    made: Path, target: Target, work: Path, environment: dict[str, str], minors: Sequence[str]
) -> tuple[Path, Path]:
    """Adds licences, the list of parts and a tracker's sources, and names the systems that the wheel runs on.

    `minors`: the releases of torch that the version names; none for a wheel that has trackers for all.
    Returns the wheel and its unpacked files.
    """
    unpacked, final = work / target.arch / "unpacked", work / target.arch / "final"
    for folder in (unpacked, final):
        shutil.rmtree(folder, ignore_errors=True)
    _run(sys.executable, "-m", "wheel", "unpack", made, "--dest", unpacked, environment=environment)
    [tree] = unpacked.iterdir()
    if minors:
        before, tree = tree.name, add_torches(tree, minors)
        made = made.with_name(made.name.replace(before, tree.name, 1))
    [info] = tree.glob("*.dist-info")
    versions = {}
    (info / "licenses" / "parts").mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        versions[part.name], text = _version_and_license(part, work)
        (info / "licenses" / "parts" / f"{part.name.replace(' ', '-')}.txt").write_bytes(text)
    add_sources(work / target.arch / "tree", tree / "commtap" / "_native" / "share" / "commtap" / "tracker")
    (info / "sboms").mkdir()
    version = tree.name.partition("-")[2]
    bill = _bill_of_materials(version, versions, int(environment["SOURCE_DATE_EPOCH"]))
    (info / "sboms" / "commtap.spdx.json").write_text(bill, encoding="utf-8")
    _run(
        sys.executable, "-m", "wheel", "pack", tree, "--dest-dir", work / target.arch / "made", environment=environment
    )
    final.mkdir()
    _check_by_auditwheel(made, target, final, environment)
    platform = f"manylinux_{GLIBC.replace('.', '_')}_{target.arch}"
    # meson-python takes the Python parts for extension modules of the Python that builds.
    tags = ("--python-tag=py3", "--abi-tag=none", f"--platform-tag={platform}")
    _run(sys.executable, "-m", "wheel", "tags", "--remove", *tags, final / made.name, environment=environment)
    [wheel] = final.glob("*.whl")
    return wheel, tree


def _check_by_auditwheel(wheel: Path, target: Target, folder: Path, environment: dict[str, str]) -> None:
    """Copies the wheel to `folder`. auditwheel ends with an error if it needs a newer system, for this machine's own
    processor only; needs.py knows all of them.
    """
    shutil.copy(wheel, folder)
    if target.arch != os.uname().machine:
        return
    excluded = [word for name in OF_TORCH for word in ("--exclude", name)]
    platform = f"manylinux_{GLIBC.replace('.', '_')}_{target.arch}"
    repair = (sys.executable, "-m", "auditwheel", "repair", *excluded, "--plat", platform, "--only-plat")
    place = folder.with_name("repaired")
    shutil.rmtree(place, ignore_errors=True)
    tools = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    _run(*repair, "--wheel-dir", place, wheel, environment=environment | tools)


def write_archive(tree: Path, target: Target, folder: Path, seconds: int) -> Path:
    """Writes the same files as the folders bin, lib and share, and returns the archive's path."""
    name = f"{tree.name}-linux-{target.arch}"
    [data] = [*tree.glob("*.data/data"), None][:1]
    [info] = tree.glob("*.dist-info")
    places = [(tree / "commtap" / "_native", ""), (info / "licenses", "share/doc/commtap/licenses")]
    places += [(info / "sboms", "share/doc/commtap"), (tree / "commtap", "lib/python/commtap")]
    places += [(data, "")] if data is not None else []
    files: dict[str, Path] = {}
    for source, place in places:
        for path in sorted(source.rglob("*")):
            relative = path.relative_to(source)
            if path.is_file() and not (source.name == "commtap" and relative.parts[0] == "_native"):
                files[str(Path(name, place, relative))] = path
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for place, path in sorted(files.items()):
            entry = tarfile.TarInfo(place)
            entry.size, entry.mtime, entry.mode = (
                path.stat().st_size,
                seconds,
                0o755 if os.access(path, os.X_OK) else 0o644,
            )
            archive.addfile(entry, io.BytesIO(path.read_bytes()))
        link = tarfile.TarInfo(f"{name}/lib/python/commtap/_native")  # where the package looks for its files
        link.type, link.linkname, link.mtime = tarfile.SYMTYPE, "../../..", seconds
        archive.addfile(link)
    path = folder / f"{name}.tar.gz"
    path.write_bytes(gzip.compress(plain.getvalue(), 9, mtime=0))
    return path
