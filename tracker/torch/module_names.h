// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The classes of modules that the tracker treats in a special way, and the attributes in which modules, parameters and
// tensors keep what it reads. Libraries on top of torch have theirs in the same tables. The labels of record_function
// that torch itself opens come after them.

#include <array>
#include <string_view>

#include "report/model/vocabulary.h"
#include "tracker/torch/minors.h"

namespace commtap::torch_names {

constexpr const char* kDistributedDataParallel = "DistributedDataParallel";   // torch/nn/parallel/distributed.py
constexpr const char* kFullyShardedDataParallel = "FullyShardedDataParallel"; // torch/distributed/fsdp
constexpr const char* kFsdpModule = "FSDPModule";                             // torch/distributed/fsdp/_fully_shard
constexpr const char* kModuleList = "ModuleList";                             // torch/nn/modules/container.py
constexpr const char* kModuleDict = "ModuleDict";                             // torch/nn/modules/container.py
constexpr const char* kGraphModule = "GraphModule";                           // torch/fx/graph_module.py
constexpr const char* kCompiledModule = "OptimizedModule";                    // torch/_dynamo/eval_frame.py
/// The attribute that Module.compile() sets, else None (torch/nn/modules/module.py).
constexpr const char* kCompiledCall = "_compiled_call_impl";
/// How the class name of a graph of a whole backward begins (torch/_dynamo/compiled_autograd.py).
constexpr std::string_view kBackwardGraph = "CompiledAutograd";
/// The class name of what a compiler makes of a graph, and of any function that is traced.
constexpr std::string_view kTracedFunction = "<lambda>";
/// The forward of a graph that is compiled to Python code at its first call, which calls the graph as a module.
/// Compilers take it as a function (torch/fx/_lazy_graph_module.py).
constexpr std::string_view kLazyForward = "_lazy_forward";
/// Runs an op on tensors without data. For a region's op it calls the region's graph
/// (torch/_subclasses/fake_tensor.py).
constexpr std::string_view kFakeDispatch = "_dispatch_impl";

// The dicts of torch/nn/modules/module.py
constexpr const char* kAttributes = "__dict__"; // of any Python object
constexpr const char* kModules = "_modules";
constexpr const char* kParameters = "_parameters";
constexpr const char* kBuffers = "_buffers";
constexpr const char* kUnsavedBuffers = "_non_persistent_buffers_set";
constexpr const char* kScriptModules = "_python_modules"; // torch/jit/_script.py: within _modules

// FSDP1's handle of a module, and the handle's parameter: torch/distributed/fsdp/fully_sharded_data_parallel.py
constexpr const char* kFsdp1Handle = "_handle";
constexpr const char* kFlatParameter = "flat_param";

// The attributes of a flat parameter: torch/distributed/fsdp/_flat_param.py. Each list of the original parameters that
// it was made of is None without use_orig_params.
constexpr const char* kIsFlatParameter = "_is_flat_param";
constexpr const char* kFlatOriginals = "_params";
constexpr const char* kFlatSharedOriginals = "_shared_params";
// The parts of the original parameters in this rank's shard, and their shapes.
constexpr const char* kFlatParts = "_shard_param_infos";
constexpr const char* kFlatPartStart = "intra_param_start_idx"; // None if the shard has nothing of it
constexpr const char* kFlatShapes = "_shapes";

// The attributes of DistributedDataParallel: torch/nn/parallel/distributed.py
constexpr const char* kDdpParameters = "_module_parameters";
constexpr const char* kDdpGroup = "process_group";
constexpr const char* kDdpBuffers = "named_module_buffers"; // a dict, of names below the wrapped module
/// In the names of running statistics, which batch normalization changes without counting up their versions.
constexpr const char* kStatistic = ".running_";
constexpr const char* kRanksOfGroups = "_pg_group_ranks"; // torch/distributed/distributed_c10d.py

// The attributes that Megatron-LM gives to parameters
constexpr const char* kTensorModelParallel = "tensor_model_parallel";
constexpr const char* kSequenceParallel = "sequence_parallel";
constexpr const char* kAllreduce = "allreduce";
constexpr const char* kMainGrad = "main_grad";

// torch/distributed/tensor/_api.py
constexpr const char* kDtensor = "DTensor";
constexpr const char* kDtensorSpec = "_spec";
constexpr const char* kLocalTensor = "_local_tensor";
constexpr const char* kFakeTensor = "FakeTensor";             // torch/_subclasses/fake_tensor.py
constexpr const char* kFunctionalTensor = "FunctionalTensor"; // torch/_subclasses/functional_tensor.py
constexpr const char* kTensorBase = "torch._C.TensorBase";

// The attributes of a tensor: torch/_C/__init__.pyi
constexpr const char* kTensorImpl = "_cdata"; // the address of its at::TensorImpl
constexpr const char* kShape = "shape";       // also a DeviceMesh's
constexpr const char* kDtype = "dtype";
constexpr std::string_view kDtypePrefix = "torch."; // "torch.float32"
constexpr const char* kRequiresGrad = "requires_grad";
constexpr const char* kIsLeaf = "is_leaf";
constexpr const char* kGrad = "grad";

// The attributes of a DTensor's spec: torch/distributed/tensor/_dtensor_spec.py
constexpr const char* kSpecsMesh = "mesh";
constexpr const char* kPlacements = "placements";

// The attributes of a mesh: torch/distributed/device_mesh.py
constexpr const char* kMeshDimensionNames = "mesh_dim_names";
constexpr const char* kMeshDeviceType = "device_type";
constexpr const char* kMeshCoordinate = "_coordinate_on_dim";
constexpr const char* kMeshRank = "_rank";                  // this process's
constexpr const char* kRootMeshRanks = "_flatten_rank_map"; // of the mesh that the mesh is a part of
constexpr const char* kMeshLayout = "_layout";
constexpr const char* kMeshGroupNames = "_dim_group_names"; // by dimension

// The attributes of a mesh's layout: torch/distributed/_mesh_layout.py
constexpr const char* kLayoutAxes = "axes"; // not in each torch
constexpr const char* kLayoutStride = "stride";

// How the names of the placements end whose values are yet to be summed: torch/distributed/tensor/placement_types.py
constexpr std::string_view kPartial = "Partial";

constexpr const char* kAnyClass = nullptr;

/// A wrapper: a class, or a class that inherits from it, and the attribute that holds the module that it wraps.
struct Wrapper {
  const char* class_name; ///< kAnyClass: the attribute's name is enough
  const char* attribute;
};

constexpr Wrapper kWrappers[] = {
    {kAnyClass, "_orig_mod"},                  // torch.compile
    {kAnyClass, "_fsdp_wrapped_module"},       // FSDP1; fairscale's FSDP
    {kAnyClass, "_checkpoint_wrapped_module"}, // torch's activation wrappers
    {"DistributedDataParallel", "module"},     // torch's, Apex's and Megatron's
    {"DataParallel", "module"},
    {kAnyClass, "_dmp_wrapped_module"}, // torchrec's DistributedModelParallel
    {"DeepSpeedEngine", "module"},
    {kAnyClass, "_forward_module"},          // Lightning and Fabric
    {"Float16Module", "module"},             // Megatron
    {"_BaseDataParallel", "module"},         // Megatron's data parallel classes
    {"FullyShardedDataParallel", "module"},  // Megatron's FSDP
    {"MegatronFSDP", "module"},              // Megatron's FSDP
    {"ShardedDataParallel", "module"},       // fairscale
    {"FlattenParamsWrapper", "_fpw_module"}, // fairscale
};

/// A class that a library derives from the instance's own and gives to the instance: its name is `prefix` and the name
/// of the last base.
struct Swap {
  const char* prefix;
  const char* mixin;    ///< the first base; nullptr: there is no other base
  const char* reported; ///< what the user calls it
};

constexpr Swap kSwaps[] = {
    {"FSDP", "FSDPModule", "FSDPModule"},                // fully_shard
    {"Replicate", "ReplicateModule", "ReplicateModule"}, // torch.distributed._composable.replicate
    {"DDP", "DDP", "replicate"},                         // its predecessor
    {"Parametrized", nullptr, "parametrize"},            // torch.nn.utils.parametrize
};

constexpr std::string_view kOptimizerStep = "Optimizer.step#";   // torch/optim/optimizer.py
constexpr std::string_view kZeroGrad = "Optimizer.zero_grad#";   // torch/optim/optimizer.py
constexpr std::string_view kFsdp2 = "FSDP::";                    // torch/distributed/fsdp/_fully_shard
constexpr std::string_view kFsdp1 = "FullyShardedDataParallel."; // torch/distributed/fsdp/_runtime_utils.py
constexpr std::string_view kFsdp1Prefetch = "_prefetch";         // in those of FSDP1's that unshard ahead
constexpr std::string_view kPipeline = "PP:";                    // torch/distributed/pipelining/schedules.py
constexpr std::string_view kForwardOf = "Forward ";              // torch/distributed/pipelining/schedules.py
constexpr std::string_view kBackwardOf = "Backward ";            // torch/distributed/pipelining/schedules.py

/// How a label of torch's begins that names neither a unit nor a step.
struct OtherLabel {
  std::string_view start;
  std::string_view file;         ///< below torch/; "": libtorch's own
  std::string_view witness = {}; ///< how the file has it, if not as it is
  Minors minors = {};
};

inline constexpr std::array kOtherLabels = {
    OtherLabel{.start = kFsdp2, .file = "distributed/fsdp/_fully_shard/_fsdp_state.py"},
    OtherLabel{
        .start = "Replicate::",
        .file = "distributed/fsdp/_fully_shard/_fsdp_state.py",
        .witness = "{self._state_name}::",
        .minors = {.first = 15}},
    OtherLabel{.start = "Optimizer.", .file = "optim/optimizer.py"},
    OtherLabel{.start = "enumerate(DataLoader)", .file = "utils/data/dataloader.py"},
    OtherLabel{.start = "DataParallel.", .file = "nn/parallel/data_parallel.py"},
    OtherLabel{.start = "DistributedDataParallel.", .file = "nn/parallel/distributed.py"},
    OtherLabel{.start = "torch::", .file = ""},
};

struct Fsdp2Label {
  std::string_view text; ///< after kFsdp2
  Phase phase;
  bool communicates;
  Minors minors = {};
};

/// FSDP2's labels of the work for one unit (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py).
inline constexpr std::array kFsdp2Labels = {
    Fsdp2Label{"all_gather", Phase::kOther, true},
    Fsdp2Label{"all_gather_copy_out", Phase::kOther, false},
    Fsdp2Label{"pre_forward", Phase::kForward, false},
    Fsdp2Label{"post_forward", Phase::kForward, false},
    Fsdp2Label{"forward_prefetch", Phase::kForward, false},
    Fsdp2Label{"pre_backward", Phase::kBackward, false},
    Fsdp2Label{"backward_prefetch", Phase::kBackward, false},
    Fsdp2Label{"post_backward_accumulate", Phase::kBackward, false, {.last = 14}},
    Fsdp2Label{"post_backward_reshard", Phase::kBackward, false},
    Fsdp2Label{"post_backward_rs_wait", Phase::kBackward, false, {.first = 12}},
    Fsdp2Label{"post_backward_reduce", Phase::kBackward, true},
};

struct PipelineAction {
  std::string_view text;
  Phase phase;
  Minors minors = {};
};

/// The actions of torch/distributed/pipelining/schedules.py except `OVERLAP_F_B`, which is of both phases. An unshard
/// is for the forward that follows.
inline constexpr std::array kPipelineActions = {
    PipelineAction{"F", Phase::kForward},
    PipelineAction{"SEND_F", Phase::kForward},
    PipelineAction{"RECV_F", Phase::kForward},
    PipelineAction{"WAIT_SEND_F", Phase::kForward, {.first = 15}},
    PipelineAction{"UNSHARD", Phase::kForward},
    PipelineAction{"B", Phase::kBackward},
    PipelineAction{"I", Phase::kBackward},
    PipelineAction{"W", Phase::kBackward},
    PipelineAction{"SEND_B", Phase::kBackward},
    PipelineAction{"RECV_B", Phase::kBackward},
    PipelineAction{"WAIT_SEND_B", Phase::kBackward, {.first = 15}},
    PipelineAction{"RESHARD", Phase::kBackward},
    PipelineAction{"REDUCE_GRAD", Phase::kBackward},
    PipelineAction{"WAIT_REDUCE_GRAD", Phase::kBackward, {.first = 15}},
};

} // namespace commtap::torch_names
