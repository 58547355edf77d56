# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A module called twice in one forward, and two models of one class."""

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from models import MLPModule, parallelize_stacked
from oracle import note_parameters
from torch.distributed.device_mesh import init_device_mesh


class Twice(torch.nn.Module):
    """Sends its input through the same MLP two times."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([MLPModule()])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mlp = self.layers[0]
        return mlp(mlp(x))


def main() -> None:
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    student, teacher = (parallelize_stacked(Twice(), mesh) for _ in range(2))
    note_parameters(student)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for step in range(3):
        batch = torch.rand(8, 10)
        with torch.no_grad():
            wanted = teacher(batch) + 1
        loss = torch.nn.functional.mse_loss(student(batch), wanted)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    finish()


if __name__ == "__main__":
    main()
