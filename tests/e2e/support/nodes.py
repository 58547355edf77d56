# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Several hosts on one machine: network namespaces on a bridge, each with a host name of its own."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

#: The address of the machine from which a person looks.
VIEW = "10.89.77.1"
#: The program that gives a command the namespace's host name.
_NAMED = 'hostname "$0" && exec "$@"'


def why_not() -> str:
    """Returns "" where namespaces can be made, else what is missing."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return "needs root and ip"
    probe = subprocess.run(["unshare", "--net", "--uts", "true"], capture_output=True, check=False)
    return "" if probe.returncode == 0 else probe.stderr.decode().strip()


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


class Node:
    """A host: a network namespace with one address."""

    def __init__(self, name: str, switch: str, address: str) -> None:
        self.name = name
        self.address = address
        self._switch = switch
        self._space = f"{switch}-{name}"
        self._port = f"p{address.rsplit('.', 1)[1]}"
        _ip("netns", "add", self._space)
        _ip("-n", switch, "link", "add", self._port, "type", "veth", "peer", "name", "eth0", "netns", self._space)
        _ip("-n", switch, "link", "set", self._port, "master", "bridge", "up")
        _ip("-n", self._space, "address", "add", f"{address}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            _ip("-n", self._space, "link", "set", device, "up")

    def command(self, *command: object) -> list[str]:
        """The command, as this host runs it."""
        inside = ["unshare", "--uts", "sh", "-c", _NAMED, self.name, *map(str, command)]
        return ["ip", "netns", "exec", self._space, *inside]

    def cut_off(self) -> None:
        """Packets to and from the host are lost from now on."""
        _ip("-n", self._switch, "link", "set", self._port, "nomaster")

    def remove(self) -> None:
        _ip("netns", "delete", self._space)


@contextlib.contextmanager
def nodes(count: int) -> Iterator[list[Node]]:
    """Yields hosts that reach each other: the first is where a person looks, the others are called node1, node2, ..."""
    switch = f"commtap-{os.getpid()}"
    _ip("netns", "add", switch)
    made: list[Node] = []
    try:
        _ip("-n", switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", switch, "link", "set", "bridge", "up")
        for i in range(count + 1):
            name = f"node{i}" if i else "view"
            made.append(Node(name, switch, VIEW.removesuffix("1") + str(i + 1)))
        yield made
    finally:
        for node in made:
            node.remove()
        _ip("netns", "delete", switch)
