# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job whose ranks start children: forked, or programs with the same RANK."""

import argparse
import os
import subprocess
import sys

import torch
import torch.distributed as dist
import torch.testing._internal.distributed.fake_pg
from common import finish, say, start


def alone(count: int, group: dist.ProcessGroup | None = None) -> float:
    """Makes all-reduces in a group of one."""
    value = torch.ones(4)
    for _ in range(count):
        dist.all_reduce(value, group=group)
    return value.sum().item()


def fork_silent_and_busy(own: dist.ProcessGroup) -> None:
    """Forks a child without a collective and a child with two."""
    for busy in (False, True):
        child = os.fork()
        if child == 0:
            if busy:
                alone(2, own)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        say(f"child {busy} ended with {os.waitstatus_to_exitcode(status)}")


def helper() -> None:
    """Runs as a separate program, which inherits RANK but is not in the job's group."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    print(f"helper {alone(5)}", flush=True)
    dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("how", choices=("fork", "subprocess", "helper"))
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the helpers")
    arguments = parser.parse_args()
    if arguments.how == "helper":
        helper()
        return
    rank = start()
    value = torch.ones(4)
    dist.all_reduce(value)
    if arguments.how == "fork":
        # A forked child has no Gloo threads; the fake backend needs none.
        own = [dist.new_group([i], backend="fake") for i in range(dist.get_world_size())][rank]
        fork_silent_and_busy(own)
    else:
        # Two helpers run at once and end at about the same time.
        command = [arguments.python, __file__, "helper"]
        helpers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        say(f"helpers {[(each.communicate()[0].strip(), each.returncode) for each in helpers]}")
    dist.all_reduce(value)
    say(f"value {value.tolist()}")
    finish()


if __name__ == "__main__":
    main()
