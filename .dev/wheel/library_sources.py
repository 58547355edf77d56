# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fetches the sources of libraries that Debian has no static library of, from its source packages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = ("simdjson", "fmtlib", "cpp-httplib", "zlib", "libzstd")
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def _release() -> str:
    for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    sys.exit("wheel: source packages are fetched on Debian only")


def _mirror() -> str:
    """Returns the address that this machine's own list of Debian packages has."""
    said = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)"], check=True, capture_output=True, text=True
    )
    return next(address for address in said.stdout.split() if address.rstrip("/").endswith("/debian"))


def fetch(folder: Path) -> Path:
    """Returns `folder` with one folder a package, which apt has verified."""
    if all((folder / package).exists() for package in PACKAGES):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "lists" / "partial").mkdir(parents=True)
    sources = folder / "sources.list"
    sources.write_text(f"deb-src [signed-by={KEYS}] {_mirror()} {_release()} main\n", encoding="utf-8")
    settings = (
        f"Dir::Etc::SourceList={sources}",
        "Dir::Etc::SourceParts=-",
        f"Dir::State::Lists={folder / 'lists'}",
        f"APT::Sandbox::User={'root' if os.geteuid() == 0 else ''}",
    )
    apt = ["apt-get", "--quiet", "--quiet", *(word for setting in settings for word in ("--option", setting))]
    subprocess.run([*apt, "update"], check=True, cwd=folder)
    subprocess.run([*apt, "source", "--download-only", *PACKAGES], check=True, cwd=folder)
    for package in PACKAGES:
        [description] = folder.glob(f"{package}_*.dsc")
        unpack = ["dpkg-source", "--no-check", "--extract", description.name, f"{package}.part"]
        subprocess.run(unpack, check=True, cwd=folder, stdout=subprocess.DEVNULL)
        (folder / f"{package}.part").rename(folder / package)
    return folder
