# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ops of other libraries, with their names and schemas, that communicate over the job's default group.

The libraries need a GPU. What they do beneath an op is c10d here; custom kernels are a copy.
"""

from collections.abc import Callable

import torch
import torch.distributed as dist
from common import finish, say, start
from torch import library

_libraries: list[library.Library] = []


def define(space: str, schema: str, function: Callable) -> None:
    """Defines the op `space::schema` for CPU tensors."""
    fragment = library.Library(space, "FRAGMENT")
    fragment.define(schema)
    fragment.impl(schema.partition("(")[0], function, "CPU")
    _libraries.append(fragment)


def reduced(tensor: torch.Tensor) -> torch.Tensor:
    result = tensor.clone()
    dist.all_reduce(result)
    return result


def gathered(tensor: torch.Tensor) -> torch.Tensor:
    output = tensor.new_empty(tensor.shape[0] * dist.get_world_size(), *tensor.shape[1:])
    dist.all_gather_into_tensor(output, tensor)
    return output


def scattered(tensor: torch.Tensor) -> torch.Tensor:
    output = tensor.new_empty(tensor.shape[0] // dist.get_world_size(), *tensor.shape[1:])
    dist.reduce_scatter_tensor(output, tensor)
    return output


def exchanged(tensor: torch.Tensor) -> torch.Tensor:
    output = torch.empty_like(tensor)
    dist.all_to_all_single(output, tensor)
    return output


def define_inference_ops() -> None:
    """vLLM's ops call those of its custom all-reduce, or c10d; SGLang's ops write into an argument."""

    def through_kernel(tensor: torch.Tensor, group_name: str) -> torch.Tensor:
        result = torch.empty_like(tensor)
        if group_name == "tp:0":
            result.copy_(reduced(tensor))
        else:
            torch.ops._C_custom_ar.all_reduce(7, tensor, result, 0, 0)
        return result

    define("vllm", "all_reduce(Tensor tensor, str group_name) -> Tensor", through_kernel)
    define(
        "vllm",
        "all_gather(Tensor tensor, int dim, int world_size, str group_name) -> Tensor",
        lambda tensor, dim, world_size, group_name: gathered(tensor),
    )
    define(
        "vllm",
        "reduce_scatter(Tensor tensor, int dim, int world_size, str group_name) -> Tensor",
        lambda tensor, dim, world_size, group_name: scattered(tensor),
    )
    custom = "all_reduce(int fa, Tensor inp, Tensor! out, int reg_buffer, int reg_buffer_sz_bytes) -> ()"
    for space in ("_C_custom_ar", "sgl_kernel"):
        define(space, custom, lambda fa, inp, out, *_: _copy(out, inp))
    define("sglang", "inplace_all_reduce(Tensor(a!) tensor, str group_name) -> ()", lambda tensor, _: _reduce(tensor))
    define(
        "sglang",
        "reg_all_gather_into_tensor(Tensor(a!) output, Tensor input, str group_name) -> ()",
        lambda output, input, _: _copy(output, gathered(input)),
    )


def _copy(output: torch.Tensor, value: torch.Tensor) -> None:
    output.copy_(value)


def _reduce(tensor: torch.Tensor) -> None:
    dist.all_reduce(tensor)


def define_training_ops() -> None:
    """Ops of torchtitan for expert parallelism, and those of torchcomms."""
    rest = "Tensor num_tokens_per_rank, Tensor num_tokens_per_rdma_rank, Tensor is_token_in_rank, Tensor counts"
    define(
        "deepep",
        f"dispatch(Tensor x, Tensor topk_idx, Tensor topk_weights, {rest}) -> (Tensor, Tensor)",
        lambda x, topk_idx, *_: (exchanged(x), topk_idx.clone()),
    )
    define("deepep", "combine(Tensor x, Tensor handle_id) -> Tensor", lambda x, handle_id: x.clone())
    define(
        "hybridep",
        "combine(Tensor x, Any handle, int num_tokens, int? pad_multiple) -> Tensor",
        lambda x, *_: x.clone(),
    )
    options = "bool async_op=False, Any? hints=None, Any? timeout=None"
    define(
        "torchcomms",
        f"torchcomm_all_reduce_(Any comm, Tensor(a!) tensor, Any op, {options}) -> Tensor(a!)",
        lambda comm, tensor, op, *_: (_reduce(tensor), tensor)[1],
    )
    define(
        "torchcomms",
        f"torchcomm_send(Any comm, Tensor tensor, int dst, {options}) -> ()",
        lambda comm, tensor, dst, *_: None,
    )


class Layer(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(3):
            torch.ops.vllm.all_reduce(x, "tp:0")
        torch.ops.vllm.all_reduce(x, "tp:1")
        torch.ops.vllm.all_gather(x, 0, dist.get_world_size(), "tp:0")
        torch.ops.vllm.reduce_scatter(x, 0, dist.get_world_size(), "tp:0")
        return torch.ops.vllm.all_reduce(x, "tp:0")


class Experts(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        none = torch.zeros(1)
        rows, _ = torch.ops.deepep.dispatch(x, none, none, none, none, none, none)
        rows = torch.ops.deepep.combine(rows, none)
        return torch.ops.hybridep.combine(rows, 0, 4, None)


def main() -> None:
    start()
    define_inference_ops()
    define_training_ops()
    x = torch.ones(4, 6)
    results = [Layer()(x), Experts()(x.bfloat16())]
    torch.ops.sgl_kernel.all_reduce(7, x, torch.empty_like(x), 0, 0)
    torch.ops.sglang.inplace_all_reduce(x, "tp:0")
    torch.ops.sglang.reg_all_gather_into_tensor(x.new_empty(8, 6), x, "tp:0")
    torch.ops.torchcomms.torchcomm_all_reduce_(0, x, 0, async_op=True)
    torch.ops.torchcomms.torchcomm_send(0, x, 1)
    say(f"sums {[float(each.sum()) for each in (*results, x)]}")
    finish()


if __name__ == "__main__":
    main()
