// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

#include "tracker/torch/ddp_work.h"

namespace commtap::torch_names {

struct Function {
  const char* name;
  std::string_view file; ///< a part of the file's path: the file, or its folder
  const char* label;
  CommtapDdpWork for_ddp = kCommtapNotForDdp;
};

constexpr std::string_view kClipPath = "/torch/nn/utils/clip_grad.py";
constexpr std::string_view kFsdp1Path = "/torch/distributed/fsdp/fully_sharded_data_parallel.py";
constexpr std::string_view kDtensorPath = "/torch/distributed/tensor/_api.py";
constexpr std::string_view kLossPath = "/torch/distributed/tensor/parallel/loss.py";
constexpr std::string_view kCheckpointPath = "/torch/distributed/checkpoint/";
constexpr std::string_view kJoinPath = "/torch/distributed/algorithms/join.py";
constexpr std::string_view kDdpPath = "/torch/nn/parallel/distributed.py";
constexpr std::string_view kPowerSgdPath = "/torch/distributed/algorithms/ddp_comm_hooks/powerSGD_hook.py";
constexpr std::string_view kC10dPath = "/torch/distributed/distributed_c10d.py";

/// The functions of torch that communicate for no module, or for a DDP module outside of its calls: those that torch's
/// Join calls on a rank that has no more input, and the callbacks of PowerSGD, a communication hook. loss_parallel() is
/// a context: the calls are made in handlers of the ops inside it. A rule, such as the outermost function of torch's
/// files, would need as many exceptions: it gives loss_parallel() and checkpoints many names, and each plain call of
/// torch.distributed its own.
constexpr std::array kFunctions = {
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
};

} // namespace commtap::torch_names
