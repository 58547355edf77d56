// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/tracker/python/fake_torch.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

/// Becomes the Python module `fake_torch`. The modules of torch that the Python part waits for are all loaded, so that
/// it installs its hooks as it starts.
const char* const kFakeTorch = R"(
import sys, types

class Module:
    def __init__(self, children=(), parameters=()):
        self._modules = dict(children)
        self._parameters = dict(parameters)
        self._buffers = {}
    def _call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)
    def __call__(self, *args, **kwargs):
        return self._call_impl(*args, **kwargs)
    def forward(self, *args, **kwargs):
        return args, kwargs

class Net(Module): pass
class Linear(Module): pass
class ModuleList(Module): pass
class ModuleDict(Module): pass
class GraphModule(Module): pass
class FSDPModule: pass

class DistributedDataParallel(Module):
    def __init__(self, module, made=None):
        super().__init__({"module": module})
        if made:
            made()

class FullyShardedDataParallel(Module):
    def __init__(self, module):
        super().__init__({"_fsdp_wrapped_module": module})

class record_function:
    def __init__(self, name): self.name = name
    def __enter__(self): return self
    def __exit__(self, *error): pass

TensorBase = type("torch._C.TensorBase", (), {})

class Tensor(TensorBase):
    def __init__(self, cdata, shape=(2, 3), dtype="torch.float32", requires_grad=True):
        self._cdata, self.shape, self.dtype, self.requires_grad = cdata, shape, dtype, requires_grad

class Spec:
    def __init__(self, mesh, placements):
        self.mesh, self.placements = mesh, placements

class Mesh:
    def __init__(self, shape, names):
        self.device_type, self.shape, self.mesh_dim_names = "cpu", shape, names

class DeviceMesh:
    def __init__(self, groups, names=None):
        self._dim_group_names, self.mesh_dim_names = groups, names

class DTensor(Tensor):
    def __init__(self, cdata, shape, spec, local):
        super().__init__(cdata, shape)
        self._spec, self._local_tensor = spec, local

class Node:
    def __init__(self, target, *args, op="call_function", name="", stack=None, **meta):
        self.target, self.args, self.op, self.name, self.meta, self.users = target, args, op, name, meta, {}
        if stack is not None:
            meta["nn_module_stack"] = {"outer": ("L['self']", Net), "inner": (stack, Linear)}

class Graph:
    def __init__(self, *nodes, **parts):
        self.nodes = nodes
        self.owning_module = types.SimpleNamespace(graph=self, **parts)
        for node in nodes:
            node.graph = self

class Raising:
    def __getattr__(self, name):
        raise RuntimeError(name)

def register_process_group(name, *group):
    return ("registered", name)

def load(file, **members):
    sys.modules[file] = types.SimpleNamespace(**members)

load("torch.nn.modules.module", Module=Module)
load("torch.autograd.profiler", record_function=record_function)
load("torch.distributed.distributed_c10d", _register_process_group=register_process_group)
load("torch.distributed.device_mesh", DeviceMesh=DeviceMesh)
load("torch.nn.parallel.distributed", DistributedDataParallel=DistributedDataParallel)
load("fake_torch", **globals())
)";

} // namespace

FakeTorch::FakeTorch(const char* text, const char* file) {
  static const auto* const torch = new EmbeddedPython(kFakeTorch); // leaked on purpose: the Python part keeps classes
  REQUIRE(torch != nullptr);
  run("from fake_torch import *");
  run(text, file);
}

} // namespace commtap
