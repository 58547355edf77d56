// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/torch_functions.h"

#include <Python.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tracker/cpython/thread_frames.h"

namespace commtap {
namespace {

struct TorchFunction {
  std::string_view name;
  std::string_view file; ///< a part of the file's path
  const char* label;
};

constexpr std::string_view kClip = "/torch/nn/utils/clip_grad.py";
constexpr std::string_view kFsdp1 = "/torch/distributed/fsdp/fully_sharded_data_parallel.py";
constexpr std::string_view kDtensor = "/torch/distributed/tensor/_api.py";
constexpr std::string_view kLoss = "/torch/distributed/tensor/parallel/loss.py";
constexpr std::string_view kCheckpoint = "/torch/distributed/checkpoint/";
constexpr std::string_view kC10d = "/torch/distributed/distributed_c10d.py";

// The functions of torch that communicate for no module. loss_parallel() is a context: the calls are made in handlers
// of the ops inside it.
constexpr std::array kTorchFunctions = {
    TorchFunction{"clip_grad_norm_", kClip, "clip_grad_norm_"},
    TorchFunction{"_get_total_norm", kClip, "get_total_norm"},
    TorchFunction{"_clip_grads_with_norm_", kClip, "clip_grads_with_norm_"},
    TorchFunction{"clip_grad_norm_", kFsdp1, "clip_grad_norm_"},
    TorchFunction{"_log_softmax_handler", kLoss, "loss_parallel"},
    TorchFunction{"_log_softmax_backward_handler", kLoss, "loss_parallel"},
    TorchFunction{"_nll_loss_forward_handler", kLoss, "loss_parallel"},
    TorchFunction{"_nll_loss_backward_handler", kLoss, "loss_parallel"},
    TorchFunction{"distribute_tensor", kDtensor, "distribute_tensor"},
    TorchFunction{"full_tensor", kDtensor, "full_tensor"},
    TorchFunction{"redistribute", kDtensor, "redistribute"},
    TorchFunction{"save", kCheckpoint, "checkpoint"},
    TorchFunction{"_save_state_dict", kCheckpoint, "checkpoint"},
    TorchFunction{"async_save", kCheckpoint, "checkpoint"},
    TorchFunction{"load", kCheckpoint, "checkpoint"},
    TorchFunction{"_load_state_dict", kCheckpoint, "checkpoint"},
    TorchFunction{"_load_state_dict_from_keys", kCheckpoint, "checkpoint"},
    TorchFunction{"load_sharded_optimizer_state_dict", kCheckpoint, "checkpoint"},
    TorchFunction{"get_model_state_dict", kCheckpoint, "checkpoint"},
    TorchFunction{"get_optimizer_state_dict", kCheckpoint, "checkpoint"},
    TorchFunction{"get_state_dict", kCheckpoint, "checkpoint"},
    TorchFunction{"set_model_state_dict", kCheckpoint, "checkpoint"},
    TorchFunction{"set_optimizer_state_dict", kCheckpoint, "checkpoint"},
    TorchFunction{"set_state_dict", kCheckpoint, "checkpoint"},
    TorchFunction{"all_gather_object", kC10d, "all_gather_object"},
    TorchFunction{"gather_object", kC10d, "gather_object"},
    TorchFunction{"scatter_object_list", kC10d, "scatter_object_list"},
    TorchFunction{"broadcast_object_list", kC10d, "broadcast_object_list"},
    TorchFunction{"send_object_list", kC10d, "send_object_list"},
    TorchFunction{"recv_object_list", kC10d, "recv_object_list"},
};

/// Returns a number below kSlots that few names share.
constexpr size_t kSlots = 256;
constexpr size_t slotOf(std::string_view name) {
  if (name.empty()) {
    return 0;
  }
  const size_t first = static_cast<unsigned char>(name.front());
  const size_t last = static_cast<unsigned char>(name.back());
  return (name.size() * 37 + first * 5 + last * 11) % kSlots;
}

/// The slots that names in the table have: almost no other function of a job is compared with these names.
constexpr std::array<bool, kSlots> kKnownSlots = [] {
  std::array<bool, kSlots> known{};
  for (const TorchFunction& function : kTorchFunctions) {
    known[slotOf(function.name)] = true;
  }
  return known;
}();

/// Returns a view of an ASCII string; "" for any other. Reads nothing that another thread may change.
std::string_view asciiOf(PyObject* text) {
  const bool is_ascii = text != nullptr && PyUnicode_Check(text) && PyUnicode_IS_COMPACT_ASCII(text);
  return is_ascii ? std::string_view(
                        static_cast<const char*>(PyUnicode_DATA(text)), static_cast<size_t>(PyUnicode_GET_LENGTH(text)))
                  : std::string_view();
}

int noteTorchFunction(const PyCodeObject* code, void* data) {
  const std::string_view name = asciiOf(code->co_name);
  if (!kKnownSlots[slotOf(name)]) {
    return 0;
  }
  for (const TorchFunction& known : kTorchFunctions) {
    if (name == known.name && asciiOf(code->co_filename).find(known.file) != std::string_view::npos) {
      *static_cast<const char**>(data) = known.label;
      break;
    }
  }
  return 0;
}

} // namespace

const char* runningTorchFunction() {
  constexpr int kMostFrames = 200;
  const char* label = nullptr;
  commtap_visit_codes(kMostFrames, noteTorchFunction, static_cast<void*>(&label));
  return label;
}

} // namespace commtap
