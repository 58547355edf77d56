// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

#include "tracker/torch/ddp_work.h"

// Names of torch that the tracker knows: how Dynamo names the modules of a graph's nodes ("L['self'].layers.0" or
// "L['self'].layers[0]"), the kernels that communicate by themselves, the modules that the tracker waits for and what
// it hooks in them, and the functions whose frames it reads.

namespace commtap::torch_names {

struct Function {
  const char* name;
  std::string_view file; ///< a part of the file's path: the file, or its folder
  const char* label;     ///< null: what it communicates has no label of its own
  CommtapDdpWork for_ddp = kCommtapNotForDdp;
  bool infers_shapes = false;
};

constexpr std::string_view kClipPath = "/torch/nn/utils/clip_grad.py";
constexpr std::string_view kFsdp1Path = "/torch/distributed/fsdp/fully_sharded_data_parallel.py";
constexpr std::string_view kDtensorPath = "/torch/distributed/tensor/_api.py";
constexpr std::string_view kLossPath = "/torch/distributed/tensor/parallel/loss.py";
constexpr std::string_view kCheckpointPath = "/torch/distributed/checkpoint/";
constexpr std::string_view kJoinPath = "/torch/distributed/algorithms/join.py";
constexpr std::string_view kDdpPath = "/torch/nn/parallel/distributed.py";
constexpr std::string_view kPowerSgdPath = "/torch/distributed/algorithms/ddp_comm_hooks/powerSGD_hook.py";
constexpr std::string_view kStagePath = "/torch/distributed/pipelining/stage.py";
constexpr std::string_view kC10dPath = "/torch/distributed/distributed_c10d.py";

/// The functions of torch in which a pipeline's stage infers shapes; and those that communicate for no module, or for a
/// DDP module outside of its calls: those that torch's Join calls on a rank that has no more input, and the callbacks
/// of PowerSGD, a communication hook. loss_parallel() is a context: the calls are made in handlers of the ops inside
/// it. A rule, such as the outermost function of torch's files, would need as many exceptions: it gives loss_parallel()
/// and checkpoints many names, and each plain call of torch.distributed its own.
inline constexpr std::array kFunctions = {
    Function{"clip_grad_norm_", kClipPath, "clip_grad_norm_"},
    Function{"_get_total_norm", kClipPath, "get_total_norm"},
    Function{"_clip_grads_with_norm_", kClipPath, "clip_grads_with_norm_"},
    Function{"clip_grad_norm_", kFsdp1Path, "clip_grad_norm_"},
    Function{"_log_softmax_handler", kLossPath, "loss_parallel"},
    Function{"_log_softmax_backward_handler", kLossPath, "loss_parallel"},
    Function{"_nll_loss_forward_handler", kLossPath, "loss_parallel"},
    Function{"_nll_loss_backward_handler", kLossPath, "loss_parallel"},
    Function{"distribute_tensor", kDtensorPath, "distribute_tensor"},
    Function{"full_tensor", kDtensorPath, "full_tensor"},
    Function{"redistribute", kDtensorPath, "redistribute"},
    Function{"save", kCheckpointPath, "checkpoint"},
    Function{"_save_state_dict", kCheckpointPath, "checkpoint"},
    Function{"async_save", kCheckpointPath, "checkpoint"},
    Function{"load", kCheckpointPath, "checkpoint"},
    Function{"_load_state_dict", kCheckpointPath, "checkpoint"},
    Function{"_load_state_dict_from_keys", kCheckpointPath, "checkpoint"},
    Function{"load_sharded_optimizer_state_dict", kCheckpointPath, "checkpoint"},
    Function{"get_model_state_dict", kCheckpointPath, "checkpoint"},
    Function{"get_optimizer_state_dict", kCheckpointPath, "checkpoint"},
    Function{"get_state_dict", kCheckpointPath, "checkpoint"},
    Function{"set_model_state_dict", kCheckpointPath, "checkpoint"},
    Function{"set_optimizer_state_dict", kCheckpointPath, "checkpoint"},
    Function{"set_state_dict", kCheckpointPath, "checkpoint"},
    Function{"__exit__", kJoinPath, "Join"},
    Function{"_sync_buffers", kDdpPath, "broadcast_buffers"},
    Function{"_check_and_sync_module_buffers", kDdpPath, "Join", kCommtapDdpForward},
    Function{"_check_global_requires_backward_grad_sync", kDdpPath, "Join", kCommtapDdpForward},
    Function{"_match_all_reduce_for_bwd_pass", kDdpPath, "Join", kCommtapDdpBackward},
    Function{"_match_unused_params_allreduce", kDdpPath, "Join", kCommtapDdpBackward},
    Function{"_sync_final_model", kDdpPath, "Join", kCommtapDdpOther},
    Function{"unpack_uncompressed_tensors_and_allreduce_ps", kPowerSgdPath, "powerSGD_hook", kCommtapDdpBackward},
    Function{"compute_qs", kPowerSgdPath, "powerSGD_hook", kCommtapDdpBackward},
    Function{"compute_q", kPowerSgdPath, "powerSGD_hook", kCommtapDdpBackward},
    Function{"all_gather_object", kC10dPath, "all_gather_object"},
    Function{"gather_object", kC10dPath, "gather_object"},
    Function{"scatter_object_list", kC10dPath, "scatter_object_list"},
    Function{"broadcast_object_list", kC10dPath, "broadcast_object_list"},
    Function{"send_object_list", kC10dPath, "send_object_list"},
    Function{"recv_object_list", kC10dPath, "recv_object_list"},
    Function{"_shape_inference", kStagePath, nullptr, kCommtapNotForDdp, true},            // older torch
    Function{"_forward_metadata_inference", kStagePath, nullptr, kCommtapNotForDdp, true}, // the name in torch 2.13
};

/// Returns whether a source is that of `module`, or of one below it.
inline bool isBelow(std::string_view source, std::string_view module) {
  return source.starts_with(module) &&
         (source.size() == module.size() || source[module.size()] == '.' || source[module.size()] == '[');
}

/// The namespace of torch's ops on symmetric memory, as in a row's op: torch/distributed/_symmetric_memory/__init__.py.
constexpr std::string_view kSymmetricMemoryOps = "symm_mem.";

/// How the names of libraries begin whose kernels communicate by themselves. libtorch_cuda.so needs libnvshmem_host.so
/// in every job, so only NVSHMEM's own plugins, which it loads when it is used, are a sign.
inline constexpr std::array<std::string_view, 5> kDeviceLibraries = {
    "deep_ep_cpp",
    "hybrid_ep_cpp",
    "libnccl_ep",
    "nvshmem_bootstrap_",
    "nvshmem_transport_",
};

constexpr const char* kModuleFile = "torch.nn.modules.module";
constexpr const char* kModuleClass = "Module";
constexpr const char* kCallModule = "_call_impl";

constexpr const char* kLabelFile = "torch.autograd.profiler";
constexpr const char* kLabelClass = "record_function";
constexpr const char* kLabelText = "name"; // the attribute

constexpr const char* kGroupsFile = "torch.distributed.distributed_c10d";
constexpr const char* kRegisterGroup = "_register_process_group";

/// torch/distributed/c10d_logger.py: the counters of waits around the functions of distributed_c10d.py. The function
/// around these has their arguments.
constexpr std::string_view kWaitCounters = "pytorch.wait_counter.c10d.";
constexpr const char* kTimedArguments = "args";
constexpr const char* kTimedNamedArguments = "kwargs";
constexpr const char* kGroupsRanks = "ranks"; // new_group's first parameter
constexpr std::string_view kNewGroup = "new_group";
inline constexpr std::array<std::string_view, 4> kMakersOfGroups = {
    "init_process_group",
    kNewGroup,
    "split_group",
    "shrink_group"};

constexpr const char* kMeshFile = "torch.distributed.device_mesh";
constexpr const char* kMeshClass = "DeviceMesh";

constexpr const char* kDdpFile = "torch.nn.parallel.distributed";
constexpr const char* kFsdp1File = "torch.distributed.fsdp.fully_sharded_data_parallel";
/// The parameter of DDP's and FSDP1's constructors after self.
constexpr const char* kWrappedArgument = "module";

/// torch/_C/_dynamo/eval_frame.pyi. The function sets what Dynamo calls for this thread's frames;
/// torch._dynamo.disable() uses it too.
constexpr const char* kEvalFrameFile = "torch._C._dynamo.eval_frame";
constexpr const char* kSetEvalFrame = "set_eval_frame";

/// A path of attributes that begins at a local variable of a function.
struct Local {
  const char* variable;
  std::string_view attributes; ///< joined by "."
};

constexpr const char* kSelf = "self";

// torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py: FSDPParamGroup.unshard and .post_backward
constexpr Local kUnitsModules = {kSelf, "modules"};
// torch/distributed/fsdp/_fully_shard/_fsdp_state.py: FSDPState._pre_backward, which calls
// FSDPParamGroup._prefetch_unshard
constexpr Local kPrefetchersModules = {kSelf, "_modules"};
// torch/distributed/fsdp/_fully_shard/_fsdp_param.py: FSDPParam
constexpr const char* kReduceParameter = "_get_grad_inner_tensor";
constexpr Local kReducedModule = {kSelf, "_module_info.module"};

// torch/distributed/pipelining/schedules.py. Schedules for one stage have it as `_stage`; the others have a dict of
// them.
constexpr const char* kRunSchedule = "_step_microbatches";
constexpr const char* kStagesByNumber = "stage_index_to_stage";
constexpr std::string_view kStagesModule = "submod";
constexpr Local kOnlyStagesModule = {kSelf, "_stage.submod"};

constexpr const char* kConstructor = "__init__";
constexpr const char* kForward = "forward"; // of a torch.nn.Module

// Methods of classes that communicate for no module's call. Libraries on top of torch have these names too.
constexpr const char* kStep = "step";                            // torch/optim/optimizer.py
constexpr const char* kEnginesBackward = "backward";             // DeepSpeed's engine
constexpr const char* kReduceGradients = "allreduce_gradients";  // DeepSpeed's engine
constexpr const char* kFinishGradients = "finish_grad_sync";     // Megatron's data parallel classes
constexpr const char* kBroadcastParameters = "broadcast_params"; // Megatron's data parallel classes

// torch/optim/optimizer.py: the function around every step, whose own parameters are step's
constexpr const char* kStepArguments = "args";
constexpr const char* kStepNamedArguments = "kwargs";
constexpr const char* kClosure = "closure";
constexpr const char* kParameterGroups = "param_groups";
constexpr const char* kGroupsTensors = "params";

/// The function of torch/autograd/graph.py around every backward.
constexpr const char* kRunBackward = "_engine_run_backward";

} // namespace commtap::torch_names
