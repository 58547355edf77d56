# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sections around torch.jit, torch.fx, torch.export, torch.compile and higher-order operators."""

import io
import warnings
from typing import Any

import torch
from sections import Section, network, section
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.scan import scan
from torch.nn.attention.flex_attention import flex_attention

X = torch.ones(2, 4)


class Silent(nn.Module):
    """Two layers that every compiler takes."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x) + 1


class Functional(nn.Module):
    """A layer and a functional collective."""

    def __init__(self, it: Section) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.functional = it.functional

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.functional(self.layer(x))


@section
def scripted(it: Section) -> Any:
    """torch.jit: scripted, traced, frozen, saved and loaded modules, before and after they ran."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Silent()
        model(X)
        script = torch.jit.script(model)
        trace = torch.jit.trace(model, X)
        file = io.BytesIO()
        torch.jit.save(script, file)
        file.seek(0)
        loaded = torch.jit.load(file)
        frozen = torch.jit.freeze(script.eval())
        return [each(X) for each in (script, trace, loaded, frozen, script)], script.code, trace.code


@section
def symbolic_trace(it: Section) -> Any:
    """torch.fx replaces nn.Module.__call__ while it traces."""
    model = Silent()
    before = nn.Module.__call__
    graph = torch.fx.symbolic_trace(model)
    return graph.code, graph(X), torch.fx.Interpreter(graph).run(X), nn.Module.__call__ is before


@section
def make_fx(it: Section) -> Any:
    """Tracing makes real calls: the graph contains the collective, which counts only when the graph runs."""
    from torch.fx.experimental.proxy_tensor import make_fx as trace

    graph = trace(Functional(it), tracing_mode="fake", _allow_non_fake_inputs=True)(X)
    it.note(type(graph).__name__)
    return [str(node.target) for node in graph.graph.nodes], graph(X)


@section
def exported(it: Section) -> Any:
    """torch.export in both modes; the exported program communicates when it runs."""
    outputs = []
    for strict in (True, False):
        program = torch.export.export(Functional(it), (X,), strict=strict)
        outputs.append((program.module()(X), [str(node.target) for node in program.graph.nodes]))
    it.note("GraphModule")
    it.note("GraphModule#2")
    return outputs


@section
def unflattened(it: Section) -> Any:
    """torch.export.unflatten turns an exported program into modules again."""
    program = torch.export.export(Silent(), (X,))
    return torch.export.unflatten(program)(X)


@section
def compiled(it: Section) -> Any:
    """A compiled model with a graph break at its collective, and the counters of Dynamo."""
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    counters.clear()
    model = network(it)
    function = torch.compile(model, backend="aot_eager")
    outputs = [function(X) for _ in range(3)]
    return outputs, dict(counters["frames"]), counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())


@section
def control_flow(it: Section) -> Any:
    """cond, map, scan, associative_scan and while_loop in eager code, and compiled."""
    from torch._higher_order_ops import map as map_op
    from torch._higher_order_ops import while_loop

    def all_of_them(x: torch.Tensor) -> list[torch.Tensor]:
        return [
            torch.cond(x.sum() > 0, lambda v: v.sin(), lambda v: v.cos(), (x,)),
            map_op(lambda row, y: row + y, x, x[0].clone()),
            scan(lambda carry, row: (carry + row, carry * row), x[0].clone(), x)[1],
            associative_scan(lambda a, b: a + b, x, dim=0, combine_mode="generic"),
            while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2), (torch.tensor(0), x))[1],
        ]

    torch._dynamo.reset()
    return all_of_them(X), torch.compile(all_of_them, backend="aot_eager", fullgraph=True)(X)


@section
def attention(it: Section) -> Any:
    """flex_attention in eager code, with a score function of the job."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        query = torch.rand(1, 1, 16, 8)
        return flex_attention(query, query, query, score_mod=lambda score, b, h, q, k: score + (q - k))
