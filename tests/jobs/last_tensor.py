# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ends while workers of Gloo's hold the last references to tensors: what pytorch/pytorch#190489 needs to abort it.

The group of the mesh outlives destroy_process_group(), and so do its workers.
"""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

ELEMENTS, COUNT = 1 << 20, 16


def main() -> None:
    group = init_device_mesh("cpu", (2,)).get_group()
    first, *_ = [dist.all_reduce(torch.ones(ELEMENTS), group=group, async_op=True) for _ in range(COUNT)]
    first.wait()


if __name__ == "__main__":
    main()
