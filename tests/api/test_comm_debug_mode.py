# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""CommDebugMode: PyTorch's own tests, run on both implementations."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from commtap import CommDebugMode
from dtensor_harness import fake_world
from models import MLP_PLAN, MLPModule, MLPStacked, ModelArgs, RMSNormPython, Transformer, parallelize_stacked
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Shard, distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode as Peer
from torch.distributed.tensor.parallel import parallelize_module

both = pytest.mark.parametrize("mode_type", [pytest.param(CommDebugMode, id="commtap"), pytest.param(Peer, id="torch")])
functional, c10d = torch.ops.c10d_functional, torch.ops.c10d


@pytest.fixture
def pair() -> Iterator[dist.ProcessGroup]:
    """Yields the group of a world of two."""
    with fake_world(rank=1, size=2):
        yield dist.group.WORLD


def parallel_mlp(mesh: DeviceMesh) -> MLPModule:
    return parallelize_module(MLPModule(), mesh, dict(MLP_PLAN))


def transformer(mesh: DeviceMesh, sequence_parallel: bool, **arguments: Any) -> Transformer:
    torch.manual_seed(0)
    model = Transformer(ModelArgs(dropout_p=0.0, **arguments))
    return Transformer.parallelize(model, mesh, sequence_parallel)


class Wrapped(nn.Module):
    """An MLP between functional collectives."""

    def __init__(self, group: dist.ProcessGroup, coalesced: bool) -> None:
        super().__init__()
        self.model, self.group, self.coalesced = MLPModule(), group, coalesced

    def forward(self, x: torch.Tensor) -> Any:
        x = funcol.all_gather_tensor(x, 0, self.group)
        x = funcol.reduce_scatter_tensor(x, "sum", 0, self.group)
        out = self.model(x)
        reduce = funcol.all_reduce_coalesced if self.coalesced else funcol.all_reduce
        return reduce([out] if self.coalesced else out, "sum", self.group)


@both
@pytest.mark.parametrize("coalesced", [False, True])
def test_functional_collectives(pair: dist.ProcessGroup, mode_type: type, coalesced: bool) -> None:
    """Each op has the key of its older name; an op that was not called counts 0."""
    with mode_type() as mode:
        Wrapped(pair, coalesced)(torch.randn(20, 10))
    counts = mode.get_comm_counts()
    assert mode.get_total_counts() == 3
    assert counts[functional.all_reduce_coalesced if coalesced else functional.all_reduce] == 1
    assert counts[functional.all_gather_into_tensor] == counts[functional.reduce_scatter_tensor] == 1
    assert counts[functional.broadcast] == 0
    assert repr(mode) == "CommDebugMode(get_total_counts()=3)"


@both
def test_dtensor_matmul(pair: dist.ProcessGroup, mode_type: type) -> None:
    """The matmul of two row shards makes one all-gather."""
    mesh = init_device_mesh("cpu", (2,))
    x = DTensor.from_local(torch.randn(4, 8, requires_grad=True), mesh, [Shard(0)], run_check=False)
    y = DTensor.from_local(torch.randn(4, 32, requires_grad=True), mesh, [Shard(0)], run_check=False)
    with mode_type() as mode:
        torch.mm(x, y)
    counts = mode.get_comm_counts()
    assert mode.get_total_counts() == counts[functional.all_gather_into_tensor] == 1
    assert counts[functional.all_reduce] == counts[functional.reduce_scatter_tensor] == 0


def c10d_calls() -> dict[Any, Callable[[], Any]]:
    """Returns one call per counted c10d op."""
    inp = torch.rand(2, 8, 16)
    out = torch.empty(4, 8, 16)
    parts = [torch.empty(2, 8, 16) for _ in range(2)]

    def coalesced(call: Callable[[], Any]) -> None:
        with dist._coalescing_manager():
            call()

    return {
        c10d.allreduce_: lambda: dist.all_reduce(inp),
        c10d._allgather_base_: lambda: dist.all_gather_into_tensor(out, inp),
        c10d._reduce_scatter_base_: lambda: dist.reduce_scatter_tensor(inp, out),
        c10d.broadcast_: lambda: dist.broadcast(inp, 0),
        c10d.gather_: lambda: dist.gather(inp, None, 0),
        c10d.reduce_: lambda: dist.reduce(inp, 0),
        c10d.scatter_: lambda: dist.scatter(inp, None, 0),
        c10d.allgather_: lambda: dist.all_gather(parts, inp),
        c10d.allgather_coalesced_: lambda: dist.all_gather_coalesced([[part] for part in parts], [inp]),
        c10d.allgather_into_tensor_coalesced_: lambda: coalesced(lambda: dist.all_gather_into_tensor(out, inp)),
        c10d.allreduce_coalesced_: lambda: dist.all_reduce_coalesced([inp]),
        c10d.reduce_scatter_: lambda: dist.reduce_scatter(inp, parts),
        c10d.reduce_scatter_tensor_coalesced_: lambda: coalesced(lambda: dist.reduce_scatter_tensor(inp, out)),
        c10d.alltoall_: lambda: dist.all_to_all(parts, [inp, inp]),
        c10d.alltoall_base_: lambda: dist.all_to_all_single(inp, inp.clone()),
    }


@both
def test_c10d_collectives(pair: dist.ProcessGroup, mode_type: type) -> None:
    """One context entered once per op clears its counts at each entry."""
    mode = mode_type()
    for op, call in c10d_calls().items():
        with mode:
            call()
        counts = {each: count for each, count in mode.get_comm_counts().items() if count}
        assert counts == {op: 1}, op
        assert mode.get_total_counts() == 1


@both
def test_not_counted(pair: dist.ProcessGroup, mode_type: type) -> None:
    """Neither implementation counts sends, receives and barriers."""
    with mode_type() as mode:
        dist.send(torch.ones(2), 0)
        dist.recv(torch.ones(2), 0)
        dist.barrier()
    assert mode.get_total_counts() == 0


@both
def test_what_counts_is_the_registry(pair: dist.ProcessGroup, mode_type: type) -> None:
    """An op added to the registry counts, a removed one does not; c10d's ops always count."""
    x, native = torch.ones(4), torch.ops._c10d_functional
    assert mode_type().comm_registry == Peer().comm_registry
    mode = mode_type()
    mode.comm_registry.add(torch.ops.aten.sin)
    mode.comm_registry.discard(native.all_reduce)
    with mode:
        x.sin()
        x.cos()
        funcol.wait_tensor(native.all_reduce(x, "sum", pair.group_name))
        funcol.wait_tensor(native.broadcast(x, 0, pair.group_name))
        dist.all_reduce(x)
    counts = {op: count for op, count in mode.get_comm_counts().items() if count}
    assert counts == {torch.ops.aten.sin: 1, functional.broadcast: 1, c10d.allreduce_: 1}


def ground_truth(model: nn.Module) -> tuple[list, list]:
    """Returns the keys of parameters and placements, as PyTorch's tests derive them from named_parameters."""
    parameters, placements = [], []
    for full_name, parameter in model.named_parameters():
        path, _, name = full_name.rpartition(".")
        module = f"{type(model).__name__}.{path}"
        parameters.append((module, name))
        if isinstance(parameter.data, DTensor):
            placements.append((f"{module}.{name}", parameter.data.placements))
    return parameters, placements


@both
def test_parameters_and_placements(mesh: DeviceMesh, mode_type: type, capsys: pytest.CaptureFixture) -> None:
    """Parameters and placements of the called modules are in order, cleared at each entry, and printable."""
    mode = mode_type()
    for model in (parallel_mlp(mesh), parallelize_stacked(MLPStacked(), mesh)):
        with mode:
            assert mode.get_parameter_info() == {}
            assert mode.get_sharding_info() == {}
            model(torch.rand(8, 10)).sum().backward()
        parameters, placements = ground_truth(model)
        found = [(module, name) for module, names in mode.get_parameter_info().items() for name in names]
        assert found == parameters
        assert list(mode.get_sharding_info().items()) == placements
    assert len(mode.get_sharding_info()) == 8
    assert isinstance(mode.get_parameter_info()["MLPStacked.layers.0.net1"]["weight"], DTensor)
    if mode_type is Peer:  # only the tracker of 2.13 has the methods below
        mode = mode.advanced_module_tracker
    mode.print_sharding_info()
    assert capsys.readouterr().out.splitlines()[0] == f"{placements[0][0]}: {placements[0][1]}"
    mode.print_paramater_info()
    assert "MLPStacked.layers.1.net2" in capsys.readouterr().out


@both
def test_module_tracing_of_an_mlp(mesh: DeviceMesh, mode_type: type) -> None:
    """There are five modules, and one all-reduce in forward in net2 and all its parents."""
    with mode_type() as mode:
        parallel_mlp(mesh)(torch.rand(8, 10)).sum().backward()
    assert len(mode.advanced_module_tracker.module_helper_dict) == 5
    for name in ("Global", "MLPModule", "MLPModule.net2"):
        assert mode.comm_module_counts[name]["forward"][functional.all_reduce] == 1
        assert not mode.comm_module_counts[name]["backward"]
    assert set(mode.comm_module_counts) == {"Global", "MLPModule", "MLPModule.net2"}


@both
def test_module_tracing_of_a_transformer(mesh: DeviceMesh, mode_type: type) -> None:
    """Counts inside a context and after it equal those in PyTorch's test."""
    with mode_type() as mode:
        assert len(mode.advanced_module_tracker.module_helper_dict) == 1
        assert mode.comm_module_counts == {"Global": {"forward": {}, "backward": {}}}
        parallel_mlp(mesh)(torch.rand(8, 10))
    model = transformer(mesh, sequence_parallel=False)
    tokens = distribute_tensor(torch.zeros(8, 8, dtype=torch.int64), mesh)
    with mode:
        model(tokens)
    forward = {name: dict(counts["forward"]) for name, counts in mode.comm_module_counts.items()}
    reduce, gather = functional.all_reduce, functional.all_gather_into_tensor
    expected = {"Global": {reduce: 6, gather: 1}, "Transformer": {reduce: 6, gather: 1}}
    expected |= {f"Transformer.{name}": {reduce: 1} for name in ("tok_embeddings", "pos_embeddings")}
    for layer in range(2):
        name = f"Transformer.layers.{layer}"
        expected |= {name: {reduce: 2}}
        below = ("attention", "attention.wo", "feed_forward", "feed_forward.w2")
        expected |= {f"{name}.{each}": {reduce: 1} for each in below}
    assert forward == expected | {"Transformer.output": {gather: 1}}


def test_the_older_surface(mesh: DeviceMesh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The methods of PyTorch 2.4's mode work: counts without passes, depth, a table, output.txt without color."""
    model = parallel_mlp(mesh)
    with CommDebugMode() as mode:
        model(torch.rand(8, 10, requires_grad=True)).sum().backward()
    assert mode.get_comm_module_counts() is mode.comm_module_counts
    assert mode.comm_module_counts["MLPModule"][functional.all_reduce] == 2
    assert mode.comm_module_counts["MLPModule.net2"][functional.all_reduce] == 1
    assert mode.advanced_module_tracker.module_depth_dict == {
        "Global": 0,
        "MLPModule": 1,
        "MLPModule.net1": 2,
        "MLPModule.relu": 2,
        "MLPModule.net2": 2,
    }
    with pytest.raises(KeyError):
        mode.comm_module_counts["MLPModule"]["sideward"]
    monkeypatch.chdir(tmp_path)
    mode.log_module_tracing_table_to_file()
    reduce = "*c10d_functional.all_reduce"
    assert Path("output.txt").read_text() == (
        f"Global\n  {reduce}: 2\n  MLPModule\n    {reduce}: 2\n    MLPModule.net1\n      {reduce}: 1\n"
        f"    MLPModule.relu\n    MLPModule.net2\n      {reduce}: 1\n"
    )
    assert f"\033[1;33m  {reduce}: 2\033[0m\n" in mode.generate_module_tracing_table()


MODELS: dict[str, Callable[[DeviceMesh], tuple[nn.Module, torch.Tensor]]] = {
    "mlp": lambda mesh: (parallel_mlp(mesh), torch.rand(8, 10)),
    "stacked": lambda mesh: (parallelize_stacked(MLPStacked(), mesh), torch.rand(8, 10, requires_grad=True)),
    "norm": lambda mesh: (RMSNormPython(8), torch.rand(4, 8, requires_grad=True)),
    "transformer": lambda mesh: (transformer(mesh, False), torch.zeros(8, 8, dtype=torch.int64)),
    "untied": lambda mesh: (transformer(mesh, False, weight_tying=False), torch.zeros(8, 8, dtype=torch.int64)),
    "sequence": lambda mesh: (transformer(mesh, True), torch.zeros(8, 8, dtype=torch.int64)),
    "checkpointed": lambda mesh: (
        transformer(mesh, True, checkpoint_activations=True),
        torch.zeros(8, 8, dtype=torch.int64),
    ),
}


def step(mode_type: type, make: Callable[[DeviceMesh], tuple[nn.Module, torch.Tensor]], mesh: DeviceMesh) -> Any:
    """Runs a forward and a backward in a context, which it returns."""
    model, batch = make(mesh)
    with mode_type() as mode:
        model(batch).sum().backward()
    return mode


def forward_only(table: str) -> list[str]:
    """Returns the table's lines without backward passes, aten.view and empty titles.

    PyTorch's mode takes the modules of backward from the order of its hooks. Its hooks also add an aten.view to every
    module, because their identity function is a view.
    """
    lines, skipping = [], False
    for line in table.splitlines():
        if "BACKWARD PASS" in line or "ACTIVATION CHECKPOINTING" in line:
            skipping = True
        elif "*" not in line and "shape:" not in line and "sharding:" not in line and "device mesh:" not in line:
            skipping = False
        if not skipping and "**aten.view.default" not in line:
            lines.append(line)
    following = [*lines[1:], ""]
    return [line for line, after in zip(lines, following, strict=True) if "FORWARD" not in line or "\033" in after]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("noise_level", [0, 1, 2])
def test_tables_are_those_of_pytorch(mesh: DeviceMesh, name: str, noise_level: int) -> None:
    """The forward lines are equal; the whole table is equal where backward's hooks run in order."""
    ours, peer = step(CommDebugMode, MODELS[name], mesh), step(Peer, MODELS[name], mesh)
    found, expected = (mode.generate_comm_debug_tracing_table(noise_level) for mode in (ours, peer))
    assert forward_only(found) == forward_only(expected)
    if name in ("mlp", "norm"):
        assert found == expected


def plain(counts: dict[str, Any]) -> dict[str, dict[str, dict]]:
    """Returns counts by module and pass as plain dictionaries."""
    return {module: {key: dict(ops) for key, ops in passes.items()} for module, passes in counts.items()}


@pytest.mark.parametrize("name", MODELS)
def test_counts_are_those_of_pytorch(mesh: DeviceMesh, name: str) -> None:
    """Counts by op are equal, and by module in forward and backward, with one exception.

    PyTorch's mode attributes the gradient of the sequence-parallel attention's gathered input to wq, the last module
    whose hook ran.
    """
    ours, peer = step(CommDebugMode, MODELS[name], mesh), step(Peer, MODELS[name], mesh)
    assert {op: n for op, n in ours.get_comm_counts().items() if n} == {
        op: n for op, n in peer.get_comm_counts().items() if n
    }
    found, expected = plain(ours.comm_module_counts), plain(peer.comm_module_counts)
    if name in ("sequence", "checkpointed"):
        for layer in range(2):
            billed = expected[f"Transformer.layers.{layer}.attention.wq"]["backward"]
            assert billed.pop(functional.reduce_scatter_tensor) == 1
        expected = {module: counts for module, counts in expected.items() if any(counts.values())}
    assert found == expected


@pytest.mark.parametrize("name", ["mlp", "stacked", "transformer", "sequence", "checkpointed"])
def test_ops_are_those_of_pytorch(mesh: DeviceMesh, name: str) -> None:
    """All ops are equal in order, with shapes, placements and pass, except the views of PyTorch's hooks."""

    def ops(mode: Any) -> list[tuple]:
        return sorted(
            (str(op["name"]), str(op["input_shape"]), str(op["input_sharding"]), op["device_mesh"], op["is_bw"])
            for kept in mode.comm_module_operation_counts.values()
            for op in kept["operations_list"]
            if str(op["name"]) != "aten.view.default"
        )

    found, expected = (ops(step(mode_type, MODELS[name], mesh)) for mode_type in (CommDebugMode, Peer))
    assert found == expected


def tree_without_ops(node: dict[str, Any]) -> dict[str, Any]:
    """Returns the parts of PyTorch's JSON that do not depend on the order of backward hooks."""
    kept = {
        key: node[key] for key in ("fqn", "module_type", "parameters", "collectives_forward", "collectives_backward")
    }
    return kept | {"children": [tree_without_ops(child) for child in node["children"]]}


@pytest.mark.parametrize("name", ["mlp", "stacked", "transformer"])
@pytest.mark.parametrize("noise_level", [0, 1, 2, 3])
def test_json_is_that_of_pytorch(mesh: DeviceMesh, tmp_path: Path, name: str, noise_level: int) -> None:
    """Keys and tree are equal; forward's ops are equal too if the noise level hides views."""
    trees = []
    for mode_type in (CommDebugMode, Peer):
        path = tmp_path / f"{mode_type.__module__}.json"
        step(mode_type, MODELS[name], mesh).generate_json_dump(str(path), noise_level)
        trees.append(json.loads(path.read_text()))
    ours, peer = trees
    assert list(ours) == list(peer)
    assert tree_without_ops(ours) == tree_without_ops(peer)
    if name == "mlp" and noise_level < 3:
        assert ours == peer


def test_log_file_has_no_color(mesh: DeviceMesh, tmp_path: Path) -> None:
    """The file has the table of its noise level, at the default and at another level."""
    mode = step(CommDebugMode, MODELS["mlp"], mesh)
    for level, path in ((3, tmp_path / "all"), (1, tmp_path / "some")):
        mode.log_comm_debug_tracing_table_to_file(str(path), noise_level=level)
        assert "\033" not in path.read_text()
        colored = mode.generate_comm_debug_tracing_table(level)
        assert len(path.read_text().splitlines()) == len(colored.splitlines())
    assert "aten.t.default" in (tmp_path / "all").read_text()
    assert "aten.t.default" not in (tmp_path / "some").read_text()
