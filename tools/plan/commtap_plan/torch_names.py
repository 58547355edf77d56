# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The names of torch that a planned rank replaces or reads although torch does not document them.

tests/python/test_plan_torch_names.py holds each torch's sources against both tables. Needs no torch.
"""

import dataclasses

#: In place of a name: every method and property of the owner, and the special methods that have rows of their own.
EVERY = "*"


@dataclasses.dataclass(frozen=True)
class Name:
    """Names of one owner that are used for one purpose.

    Attributes:
        owner: the module or class, as Python names it.
        names: attributes of the owner.
        defined: where torch defines them: a file below torch/, and after ":" the class.
        why: what a plan does with them.
        parameters: parameters of each that the plan gives or reads by name.
        minors: the first and the last minor of torch 2 that has the names.
    """

    owner: str
    names: tuple[str, ...]
    defined: str
    why: str
    parameters: tuple[str, ...] = ()
    minors: tuple[int, int] = (0, 999)


#: The functions of c10d inside of which tensors are objects.
OBJECT_FUNCTIONS = (
    "send_object_list",
    "recv_object_list",
    "broadcast_object_list",
    "scatter_object_list",
)

#: Those in which all ranks of a group send an object.
GATHER_FUNCTIONS = ("all_gather_object", "gather_object")

#: Methods of a pipeline stage in which stages vote whether they know each other's shapes. Not every torch has them.
STAGE_VOTES = ("_warmup_forward_vote", "_warmup_backward_result")

_C10D = "torch.distributed.distributed_c10d"
_C10D_FILE = "distributed/distributed_c10d.py"
_C10D_STUB = "_C/_distributed_c10d.pyi"
_MESH = "torch.distributed.device_mesh.DeviceMesh"
_MESH_FILE = "distributed/device_mesh.py"
_DDP = "torch.nn.parallel.distributed.DistributedDataParallel"
_DDP_CLASS = "nn/parallel/distributed.py:DistributedDataParallel"
_LOADER_FILE = "utils/data/dataloader.py"
_SCHEDULES = "torch.distributed.pipelining.schedules"
_SCHEDULES_FILE = "distributed/pipelining/schedules.py"
_STAGE = "torch.distributed.pipelining.stage"
_STAGE_FILE = "distributed/pipelining/stage.py"
_TENSOR_STUB = "_C/__init__.pyi:TensorBase"
_FAKE = "torch._subclasses.fake_tensor.FakeTensor"

_GROUPS = (
    Name(
        _C10D,
        ("init_process_group",),
        _C10D_FILE,
        "makes the default group a fake one of the planned size",
        parameters=("backend", "timeout", "world_size", "rank", "store", "group_name"),
    ),
    Name(
        _C10D,
        ("_new_process_group_helper",),
        _C10D_FILE,
        "makes every other group a fake one, and notes its ranks",
        parameters=("group_name", "global_ranks_in_group", "backend", "backend_options", "device_id", "group_desc"),
    ),
    Name(
        _C10D,
        ("split_group",),
        _C10D_FILE,
        "makes groups by new_group(), because no fake backend splits",
        parameters=("parent_pg", "split_ranks", "timeout", "pg_options", "group_desc"),
    ),
    Name(
        _C10D,
        ("get_backend",),
        _C10D_FILE,
        "answers the script with the backend that it asked for",
        parameters=("group",),
    ),
    Name("torch.distributed", ("TCPStore", "FileStore"), _C10D_STUB, "keeps stores in memory"),
    Name("torch.distributed", ("monitored_barrier",), _C10D_FILE, "is a barrier, because a fake group has no Gloo"),
)

_OBJECTS = (
    Name(
        _C10D,
        ("send",),
        _C10D_FILE,
        "writes the tensors of objects to files",
        parameters=("tensor", "dst", "group", "group_dst"),
    ),
    Name(
        _C10D,
        ("recv",),
        _C10D_FILE,
        "reads the tensors of objects from files",
        parameters=("tensor", "src", "group", "group_src"),
    ),
    Name(_C10D, ("batch_isend_irecv",), _C10D_FILE, "does both"),
    Name(
        _C10D,
        ("broadcast",),
        _C10D_FILE,
        "does both for objects; has a future with its tensor for hooks of DDP",
        parameters=("tensor", "src", "group", "group_src"),
    ),
    Name(
        _C10D,
        ("scatter",),
        _C10D_FILE,
        "does both for objects",
        parameters=("tensor", "scatter_list", "src", "group", "group_src"),
    ),
    Name(_C10D, ("all_gather",), _C10D_FILE, "reads objects from files", parameters=("tensor_list",)),
    Name(_C10D, ("gather",), _C10D_FILE, "reads objects from files", parameters=("gather_list",)),
    Name(_C10D, OBJECT_FUNCTIONS, _C10D_FILE, "marks the tensors inside as objects"),
    Name(
        _C10D,
        GATHER_FUNCTIONS,
        _C10D_FILE,
        "marks the tensors inside as objects; writes objects to files",
        parameters=("obj", "group"),
    ),
    Name(
        f"{_STAGE}.PipelineStage",
        STAGE_VOTES,
        f"{_STAGE_FILE}:PipelineStage",
        "marks the votes of stages as objects",
        minors=(12, 14),
    ),
)

_FUTURES = (
    Name(_C10D, ("all_reduce", "reduce"), _C10D_FILE, "has a future with its tensor for hooks of DDP"),
    Name(_DDP, ("_pre_forward",), _DDP_CLASS, "registers a hook that reduces as DDP does"),
    Name("torch.distributed", ("_register_builtin_comm_hook",), _C10D_STUB, "registers such a hook for a built-in one"),
)

_COUNTS = (
    Name(
        _C10D,
        ("all_to_all_single", "all_to_all"),
        _C10D_FILE,
        "forgets received counts, which only the real job has",
    ),
    Name(
        "torch.distributed._functional_collectives",
        ("all_to_all_single",),
        "distributed/_functional_collectives.py",
        "forgets received counts, which only the real job has",
    ),
    Name("torch.nn.functional", ("one_hot",), "nn/functional.py", "counts tokens for --assume-balanced"),
    Name(
        "torch.Tensor",
        ("tolist", "numpy", "__int__", "__index__"),
        _TENSOR_STUB,
        "answers with equal counts for --assume-balanced",
    ),
    Name(_FAKE, ("tolist",), "_subclasses/fake_tensor.py:FakeTensor", "answers with equal counts"),
)

_VALUES = (
    Name("torch.Tensor", ("item", "__float__"), _TENSOR_STUB, "shows a stand-in for a value that fake tensors lack"),
    Name("torch.Tensor", ("__format__",), "_tensor.py:Tensor", "shows a stand-in for a value that fake tensors lack"),
    Name(
        "torch.utils", ("swap_tensors",), "utils/__init__.py", "swaps fake tensors, to which their mode refers weakly"
    ),
    Name(
        "torch.nn.init",
        ("_no_grad_trunc_normal_",),
        "nn/init.py",
        "leaves fake tensors, which have no values, as they are",
    ),
    Name(
        "torch.nn.utils.parametrizations",
        ("_is_orthogonal",),
        "nn/utils/parametrizations.py",
        "takes a fake matrix that torch has made orthogonal for one",
    ),
    Name("torch.utils.data.dataloader.DataLoader", ("__iter__",), f"{_LOADER_FILE}:DataLoader", "loads real samples"),
    Name(
        "torch.utils.data.dataloader._BaseDataLoaderIter",
        ("__next__",),
        f"{_LOADER_FILE}:_BaseDataLoaderIter",
        "loads real samples",
    ),
)

_MESHES = (
    Name(_MESH, (EVERY,), f"{_MESH_FILE}:DeviceMesh", "keeps the ranks of meshes in real tensors"),
    Name(
        _MESH,
        ("__init__",),
        f"{_MESH_FILE}:DeviceMesh",
        "keeps the ranks in real tensors, notes the mesh, takes a CPU's for a GPU's",
        parameters=("_layout",),
    ),
    Name(_MESH, ("__getitem__",), f"{_MESH_FILE}:DeviceMesh", "keeps the ranks in real tensors"),
    Name(
        "torch.distributed.device_mesh",
        ("init_device_mesh",),
        _MESH_FILE,
        "keeps the ranks in real tensors, takes a CPU's for a GPU's",
    ),
)

_STEPS = (
    Name(
        f"{_SCHEDULES}.PipelineScheduleSingle",
        ("step",),
        f"{_SCHEDULES_FILE}:PipelineScheduleSingle",
        "looks whether a step has ended",
    ),
    Name(
        f"{_SCHEDULES}.PipelineScheduleMulti",
        ("step",),
        f"{_SCHEDULES_FILE}:PipelineScheduleMulti",
        "looks whether a step has ended",
    ),
)

_ANSWER = "answers for a GPU that this machine does not have"
_GPU = (
    Name(
        "torch.cuda",
        (
            "is_available",
            "is_initialized",
            "is_bf16_supported",
            "device_count",
            "current_device",
            "get_device_name",
            "get_device_properties",
            "get_device_capability",
            "current_stream",
            "default_stream",
            "stream",
            "_lazy_init",
            "init",
            "set_device",
            "set_stream",
            "synchronize",
            "ipc_collect",
        ),
        "cuda/__init__.py",
        _ANSWER,
    ),
    Name(
        "torch.cuda",
        (
            "memory_stats",
            "mem_get_info",
            "empty_cache",
            "reset_peak_memory_stats",
            "reset_max_memory_allocated",
            "set_per_process_memory_fraction",
            "memory_allocated",
            "memory_reserved",
            "max_memory_allocated",
            "max_memory_reserved",
        ),
        "cuda/memory.py",
        _ANSWER,
    ),
    Name(
        "torch.cuda",
        ("manual_seed", "manual_seed_all", "seed", "get_rng_state", "set_rng_state"),
        "cuda/random.py",
        _ANSWER,
    ),
    Name("torch.cuda", ("Stream", "Event"), "cuda/streams.py", _ANSWER),
    Name("torch.cuda", ("is_current_stream_capturing",), "cuda/graphs.py", _ANSWER),
    Name(_DDP, ("__init__",), _DDP_CLASS, "takes a CPU for a GPU; says that DDP cannot have fake tensors"),
    Name("torch.amp.autocast_mode.autocast", ("__init__",), "amp/autocast_mode.py:autocast", "takes a CPU for a GPU"),
    Name("torch.amp.grad_scaler.GradScaler", ("__init__",), "amp/grad_scaler.py:GradScaler", "takes a CPU for a GPU"),
    Name("torch.nn.modules.module.Module", ("to", "cuda"), "nn/modules/module.py:Module", "takes a CPU for a GPU"),
)

#: What a plan replaces. commtap_plan/replacing.py replaces nothing else.
REPLACED = (*_GROUPS, *_OBJECTS, *_FUTURES, *_COUNTS, *_VALUES, *_MESHES, *_STEPS, *_GPU)

#: What a plan reads or calls and torch keeps for itself.
READ = (
    Name(f"{_C10D}.Backend", ("_plugins",), f"{_C10D_FILE}:Backend", "gives the fake backend the ranks of its group"),
    Name(
        "torch._C._distributed_c10d.FakeProcessGroup",
        ("_create_internal",),
        f"{_C10D_STUB}:FakeProcessGroup",
        "makes the fake group",
    ),
    Name(_C10D, ("_object_to_tensor",), _C10D_FILE, "writes objects to files"),
    Name("torch.distributed", ("_register_comm_hook",), _C10D_STUB, "registers a hook that reduces as DDP does"),
    Name(_DDP, ("_comm_hooks", "reducer", "process_group"), _DDP_CLASS, "registers the hook where there is none"),
    Name(f"{_C10D}.P2POp", ("op", "peer", "tensor", "group", "group_peer"), f"{_C10D_FILE}:P2POp", "delivers objects"),
    Name(_MESH, ("mesh", "mesh_dim_names"), f"{_MESH_FILE}:DeviceMesh", "notes the mesh"),
    Name(
        "torch._C",
        ("_swap_tensor_impl", "_current_graph_task_id", "_ensureCUDADeviceGuardSet"),
        "_C/__init__.pyi",
        "swaps fake tensors; knows a backward; makes fake tensors of a GPU possible",
    ),
)


def row_of(owner: str, name: str) -> Name:
    """Returns the row of a replacement."""
    rows = [row for row in REPLACED if row.owner == owner]
    for row in rows:
        if name in row.names:
            return row
    for row in rows:
        if EVERY in row.names and not name.startswith("__"):
            return row
    raise KeyError(f"{owner}.{name} is replaced, and is not in REPLACED of commtap_plan/torch_names.py")
