// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The functions of torch whose frames the tracker reads, and what it reads there.

#include <string_view>

namespace commtap::torch_names {

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
