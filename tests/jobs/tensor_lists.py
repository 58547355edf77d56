# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Calls with several tensors: optimizers that gather and reduce lists of parameters and gradients."""

import argparse

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn
from torch.distributed.distributed_c10d import _coalescing_manager

STEPS = 3


class Net(nn.Module):
    """Three layers of 64 bytes, of which two have a common parent, and a fourth of 128."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4, bias=False)
        self.pair = nn.Sequential(nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False))
        self.d = nn.Linear(4, 8, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.d(self.pair(self.a(x)))


class Listed(torch.optim.Optimizer):
    """Runs one kind of call in each step, in the gradients or the parameters."""

    def __init__(self, net: Net, kind: str) -> None:
        super().__init__(list(net.parameters()), {})
        self.net = net
        self.kind = kind

    @torch.no_grad()
    def step(self) -> None:
        getattr(self, self.kind)(*self.param_groups[0]["params"])

    def all_gather(self, a: nn.Parameter, b: nn.Parameter, c: nn.Parameter, d: nn.Parameter) -> None:
        """As a sharded Muon: each rank has updated one of the list; what is too little is padded."""
        rank = dist.get_rank()
        for tensors in ([a, b], [b, c], [c, torch.empty_like(c)]):
            dist.all_gather([each.data for each in tensors], tensors[rank].data)
        dist.all_gather([torch.empty(4, 4), torch.empty(4, 4)], [a, b][rank].data)  # into memory of no parameter

    def reduce_scatter(self, a: nn.Parameter, b: nn.Parameter, c: nn.Parameter, d: nn.Parameter) -> None:
        """Each rank gets the sum of one of the gradients."""
        dist.reduce_scatter(torch.empty(4, 4), [a.grad, b.grad])
        dist.reduce_scatter(torch.empty(4, 4), list(d.grad.chunk(2)))

    def coalesced(self, a: nn.Parameter, b: nn.Parameter, c: nn.Parameter, d: nn.Parameter) -> None:
        """Three calls become one."""
        with _coalescing_manager():
            for parameter in (a, b, d):
                dist.all_reduce(parameter.grad)

    def scatter(self, a: nn.Parameter, b: nn.Parameter, c: nn.Parameter, d: nn.Parameter) -> None:
        """The root alone has the list."""
        dist.scatter(b.data, [a.data, b.data] if dist.get_rank() == 0 else None)

    def gather(self, a: nn.Parameter, b: nn.Parameter, c: nn.Parameter, d: nn.Parameter) -> None:
        """The root alone has the list."""
        dist.gather(c.data, [b.data, c.data] if dist.get_rank() == 0 else None)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("all_gather", "reduce_scatter", "coalesced", "scatter", "gather", "hook"))
    kind = parser.parse_args().kind
    start()
    net = Net()
    optimizer = torch.optim.SGD(net.parameters()) if kind == "hook" else Listed(net, kind)
    if kind == "hook":  # sends what was kept with the gradient that comes last
        last, other = net.a.weight, net.pair[0].weight
        last.register_post_accumulate_grad_hook(lambda _: dist.all_reduce_coalesced([last.grad, other.grad]))
    for _ in range(STEPS):
        net(torch.ones(2, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    finish()


if __name__ == "__main__":
    main()
