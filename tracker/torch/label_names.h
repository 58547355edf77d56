// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The labels of record_function that torch itself opens, and what they say.

#include <array>
#include <string_view>

#include "report/model/vocabulary.h"
#include "tracker/torch/minors.h"

namespace commtap::torch_names {

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

constexpr std::array kOtherLabels = {
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
constexpr std::array kFsdp2Labels = {
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
constexpr std::array kPipelineActions = {
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
