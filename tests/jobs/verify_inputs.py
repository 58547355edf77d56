# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trainings whose fault is in what enters the model or the reductions of gradients, and right ones that look alike.

A docstring names the public report that has the fault. Those whose name begins with `right` are right.
"""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.nn.parallel import DistributedDataParallel
from verify_parts import WIDTH, Net, Step, adam, average, backward, batch, own_batch, rank, world

Data = Callable[[int], torch.Tensor]


def train(
    model: nn.Module, data: Data, before: Step = lambda _: None, scale: Callable[[int], float] = lambda _: 1
) -> Step:
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        ((model(data(number)) - 1).square().mean() * scale(number)).backward()
        before(number)
        optimizer.step()
        optimizer.zero_grad()

    return step


def ddp() -> nn.Module:
    return DistributedDataParallel(Net())


def fsdp2() -> nn.Module:
    net = Net()
    for layer in net.layers:
        fully_shard(layer)
    return fully_shard(net)


def fsdp1() -> nn.Module:
    return FullyShardedDataParallel(Net(), device_id=torch.device("cpu"))


def by_hand(data: Data, scale: Callable[[int], float] = lambda _: 1) -> Step:
    net = Net()
    return train(net, data, lambda _: average(net.parameters()), scale)


def one_batch(number: int) -> torch.Tensor:
    return batch(number, 0)


def share(shared: int, of: int = 4) -> Data:
    """Returns batches of which the ranks share the first rows."""
    return lambda number: torch.cat([batch(number, 0)[:shared], own_batch(number)[shared:of]])


def same_data() -> Step:
    """icefall#1616."""
    return train(ddp(), one_batch)


def same_data_in_shards() -> Step:
    """torchtitan#951."""
    return train(fsdp2(), one_batch)


def same_data_in_flat_parameters() -> Step:
    return train(fsdp1(), one_batch)


def same_data_by_hand() -> Step:
    """Megatron-Bridge#5944."""
    return by_hand(one_batch)


def same_data_per_pair() -> Step:
    """cosmos-predict2.5#143: a seed for each node."""
    return train(ddp(), lambda number: batch(number, rank() // 2))


class Sample:
    def __init__(self, x: torch.Tensor) -> None:
        self.x = x


class OfObjects(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = Net()

    def forward(self, sample: Sample) -> torch.Tensor:
        return self.net(sample.x)


def same_data_in_objects() -> Step:
    return train(DistributedDataParallel(OfObjects()), lambda number: Sample(batch(number, 0)))


def same_data_in_sharded_objects() -> Step:
    return train(fully_shard(OfObjects()), lambda number: Sample(batch(number, 0)))


def most_data_shared() -> Step:
    return train(ddp(), share(3))


def some_data_shared() -> Step:
    return train(ddp(), share(1))


def reduced_twice() -> Step:
    model = ddp()
    return train(model, own_batch, lambda _: average(model.parameters()))


def reduced_twice_by_hand() -> Step:
    net = Net()

    def both(_: int) -> None:
        average(net.parameters())
        average(net.parameters())

    return train(net, own_batch, both)


def average_bucket(parameters: Iterable[nn.Parameter]) -> None:
    gradients = [each.grad for each in parameters]
    bucket = torch.cat([each.flatten() for each in gradients])
    dist.all_reduce(bucket)
    parts = (bucket / world()).split([each.numel() for each in gradients])
    for gradient, part in zip(gradients, parts, strict=True):
        gradient.copy_(part.view_as(gradient))


def bucket_reduced_twice() -> Step:
    net = Net()

    def both(_: int) -> None:
        average_bucket(net.parameters())
        average_bucket(net.parameters())

    return train(net, own_batch, both)


def poison(net: nn.Module, at: int = 4) -> None:
    """Makes a gradient of rank 1 NaN in one step."""
    calls = [0]

    def hook(_: nn.Module, inputs: tuple[torch.Tensor, ...], __: object) -> tuple[torch.Tensor] | None:
        calls[0] += 1
        return (inputs[0] * float("nan"),) if rank() == 1 and calls[0] == at else None

    net.layers[1].register_full_backward_hook(hook)


def not_a_number_before_the_reduction() -> Step:
    net = Net()
    poison(net)
    return train(DistributedDataParallel(net), own_batch)


def not_a_number_in_shards() -> Step:
    net = Net()
    poison(net)
    return train(fully_shard(net), own_batch)


def not_a_number_by_hand() -> Step:
    net = Net()
    poison(net)
    return train(net, own_batch, lambda _: average(net.parameters()))


def not_a_number_in_a_batch() -> Step:
    def data(number: int) -> torch.Tensor:
        return own_batch(number) * (float("nan") if rank() == 1 and number == 3 else 1)

    return train(ddp(), data)


def silent() -> Callable[[int], float]:
    return lambda _: 0 if rank() == 1 else 1


def silent_rank() -> Step:
    return train(ddp(), own_batch, scale=silent())


def silent_rank_of_shards() -> Step:
    return train(fsdp2(), own_batch, scale=silent())


def silent_rank_by_hand() -> Step:
    return by_hand(own_batch, silent())


def loud_rank() -> Step:
    return train(ddp(), own_batch, scale=lambda _: 1000 if rank() == 1 else 1)


def loud_rank_of_shards() -> Step:
    return train(fsdp2(), own_batch, scale=lambda _: 1000 if rank() == 1 else 1)


def right_silent_once() -> Step:
    """A batch without targets."""
    return train(ddp(), own_batch, scale=lambda number: 0 if rank() == 1 and number == 3 else 1)


def right_bucket() -> Step:
    net = Net()
    return train(net, own_batch, lambda _: average_bucket(net.parameters()))


def right_accumulated_shards() -> Step:
    model = fsdp2()
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        model.set_requires_gradient_sync(requires_gradient_sync=False)
        backward(model, batch(number, 10 + rank()))
        model.set_requires_gradient_sync(requires_gradient_sync=True)
        backward(model, own_batch(number))
        optimizer.step()
        optimizer.zero_grad()

    return step


def right_reduced_in_each_backward() -> Step:
    model = ddp()
    return train(model, own_batch, lambda number: backward(model, batch(number, 10 + rank())))


def right_static_graph() -> Step:
    return train(DistributedDataParallel(Net(), static_graph=True), own_batch)


def right_compressed() -> Step:
    model = ddp()
    model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    return train(model, own_batch)


def right_uneven_batches() -> Step:
    return train(ddp(), lambda number: own_batch(number)[: 1 + (number + rank()) % 4])


def right_padded() -> Step:
    """Half of each batch is padding."""
    return train(ddp(), lambda number: torch.cat([own_batch(number)[:2], torch.zeros(2, WIDTH)]))


def right_one_input() -> Step:
    """The model takes the same tensor in every step, as one that learns a table does."""
    places = torch.arange(4.0 * WIDTH).view(4, WIDTH)
    model = ddp()
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        (model(places) - own_batch(number)[:, :1]).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def right_evaluates() -> Step:
    """All ranks evaluate on the same data."""
    model = ddp()
    step = train(model, own_batch)

    def both(number: int) -> None:
        step(number)
        with torch.no_grad():
            dist.all_reduce(model.module(one_batch(number)))

    return both


def right_flat_averages() -> Step:
    """Local SGD that averages all values in one buffer after each step."""
    net = Net()
    step = train(net, own_batch)

    def both(number: int) -> None:
        step(number)
        flat = torch.cat([each.detach().flatten() for each in net.parameters()])
        dist.all_reduce(flat)
        sizes = [each.numel() for each in net.parameters()]
        for each, part in zip(net.parameters(), (flat / world()).split(sizes), strict=True):
            each.data.copy_(part.view_as(each))

    return both


def right_statistics() -> Step:
    """Sums statistics of a batch, which are alike on all ranks, between backward and step."""
    model = ddp()

    def before(number: int) -> None:
        dist.all_reduce(torch.arange(64.0) + number)

    return train(model, own_batch, before)


def right_two_groups() -> Step:
    """Replicas of shards: reduce_scatter in one group, all_reduce in the other."""
    mesh = init_device_mesh("cpu", (2, world() // 2), mesh_dim_names=("replicate", "shard"))
    return train(fully_shard(Net(), mesh=mesh), own_batch)


def right_skips_bad_batches() -> Step:
    """Leaves out steps whose loss is not finite on a rank: all ranks decide alike."""
    model = ddp()
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        backward(model, own_batch(number) * (float("nan") if rank() == 1 and number == 3 else 1))
        if all(each.grad.isfinite().all() for each in model.parameters()):
            optimizer.step()
        optimizer.zero_grad()

    return step
