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
  const char* name;
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

/// The names in the table. A code object's name is interned, so its address is enough: hardly any other function of a
/// job is compared with the table.
class FunctionNames {
 public:
  FunctionNames() {
    for (const TorchFunction& function : kTorchFunctions) {
      insert(PyUnicode_InternFromString(function.name));
    }
  }

  bool has(const PyObject* name) const {
    return names_[slotOf(name)] == name;
  }

 private:
  static constexpr size_t kSlots = 128; ///< a power of two, several times as many as names

  /// Returns the slot of a name; if it is not in the table, the free slot where it would go.
  size_t slotOf(const PyObject* name) const {
    size_t slot = (reinterpret_cast<uintptr_t>(name) >> 4U) % kSlots;
    while (names_[slot] != nullptr && names_[slot] != name) {
      slot = (slot + 1) % kSlots;
    }
    return slot;
  }
  void insert(const PyObject* name) {
    names_[slotOf(name)] = name;
  }

  std::array<const PyObject*, kSlots> names_{};
};

const FunctionNames& functionNames() {
  static const FunctionNames all;
  return all;
}

/// Returns a view of an ASCII string; "" for any other. Reads nothing that another thread may change.
std::string_view asciiOf(PyObject* text) {
  const bool is_ascii = text != nullptr && PyUnicode_Check(text) && PyUnicode_IS_COMPACT_ASCII(text);
  return is_ascii ? std::string_view(
                        static_cast<const char*>(PyUnicode_DATA(text)), static_cast<size_t>(PyUnicode_GET_LENGTH(text)))
                  : std::string_view();
}

int noteTorchFunction(const PyCodeObject* code, void* data) {
  if (!functionNames().has(code->co_name)) {
    return 0;
  }
  for (const TorchFunction& known : kTorchFunctions) {
    if (asciiOf(code->co_name) == known.name && asciiOf(code->co_filename).find(known.file) != std::string_view::npos) {
      *static_cast<const char**>(data) = known.label;
      break;
    }
  }
  return 0;
}

} // namespace

void startTorchFunctions() {
  functionNames();
}

const char* runningTorchFunction() {
  constexpr int kMostFunctions = 200;
  const char* label = nullptr;
  commtap_visit_codes(kMostFunctions, noteTorchFunction, static_cast<void*>(&label));
  return label;
}

} // namespace commtap
