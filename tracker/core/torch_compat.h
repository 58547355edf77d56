// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Everything that differs between the supported torch versions, as small named functions. They use only exports of
// libtorch_cpu, none of libtorch_python.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <ATen/SequenceNumber.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/node.h>
#include <torch/version.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "tracker/core/thread_local_getter.h"

namespace commtap::compat {

/// Returns the torch version that selects the tracker, such as "2.13".
inline std::string builtForTorch() {
  return std::to_string(TORCH_VERSION_MAJOR) + "." + std::to_string(TORCH_VERSION_MINOR);
}

/// Returns the thread id that autograd nodes made on this thread carry.
inline uint64_t threadId() {
  return at::RecordFunction::currentThreadId();
}

/// Returns the number of the backward that the autograd engine runs on this thread; -1 outside a backward. Each process
/// counts backwards from 0, including nested ones of reentrant checkpointing.
inline int64_t graphTask() {
  return torch::autograd::get_current_graph_task_id();
}

/// Reads torch's thread-local values that every module call needs, for the thread that made this object. Torch's
/// getters spend most of their time on finding the thread's variable; this class finds it once.
class ThreadVariables {
 public:
  ThreadVariables() = default;
  // Copies each member in a register: the compiler's own copy goes through memory.
  ThreadVariables(const ThreadVariables& other)
      : sequence_number_(other.sequence_number_), graph_task_(other.graph_task_) {}
  ThreadVariables& operator=(const ThreadVariables&) = default;
  ~ThreadVariables() = default;

  /// Returns the number that autograd gives to the next node made on this thread.
  uint64_t nextSequenceNumber() const {
    return sequence_number_ != nullptr ? *sequence_number_ : at::sequence_number::peek();
  }
  /// Returns true while the autograd engine runs a backward on this thread, including its final callbacks.
  bool inBackward() const {
    return graph_task_ != nullptr ? *graph_task_ != nullptr : graphTask() != -1;
  }
  /// Returns true if both variables are read directly, without torch's getters.
  bool areFound() const {
    return sequence_number_ != nullptr && graph_task_ != nullptr;
  }

 private:
  template <typename Variable, typename Getter>
  static const Variable* find(Getter* getter) {
    return static_cast<const Variable*>(threadLocalReadBy(reinterpret_cast<const void*>(getter)));
  }

  const uint64_t* sequence_number_ = find<uint64_t>(at::sequence_number::peek);
  void* const* graph_task_ = find<void*>(torch::autograd::get_current_graph_task_id);
};

/// Returns the autograd node that runs on this thread or is about to, since its hooks count as part of it. May be null.
inline auto currentNode() {
  return torch::autograd::get_current_node();
}

/// Returns false for gradient accumulation: it has no forward op, so no number.
inline bool hasSequenceNumber(const torch::autograd::Node& node) {
  return node.sequence_nr() != std::numeric_limits<uint64_t>::max();
}

/// Returns the leaf tensor whose gradient `node` accumulates; null for every other node.
inline const at::TensorImpl* accumulatedTensor(torch::autograd::Node& node) {
  const auto* accumulate = dynamic_cast<torch::autograd::AccumulateGrad*>(&node);
  return accumulate == nullptr ? nullptr : accumulate->variable.unsafeGetTensorImpl();
}

/// Returns the global ranks of the group's members; empty if the backend does not list them. May throw.
inline std::vector<uint64_t> globalRanks(const c10d::ProcessGroup& group) {
  const auto backend = group.getDefaultBackend();
  const auto options = backend ? backend->getBackendOptions() : nullptr; // null for a backend made without options
  return options ? options->global_ranks_in_group : std::vector<uint64_t>();
}

/// Returns the Python object of a tensor subclass; null for a tensor whose ops do not go through Python.
inline void* pythonObject(const at::Tensor& tensor) {
  return tensor.key_set().has(c10::DispatchKey::Python) ? tensor.unsafeGetTensorImpl()->pyobj_slot()->load_pyobj()
                                                        : nullptr;
}

/// Returns true while a compiler traces this thread's ops: in FakeTensorMode, proxy tracing or functionalization.
inline bool isTracing() {
  using Key = c10::impl::TorchDispatchModeKey;
  for (const Key key : {Key::FAKE, Key::PROXY, Key::FUNCTIONAL}) {
    if (c10::impl::TorchDispatchModeTLS::get_mode(key)) {
      return true;
    }
  }
  return false;
}

/// Returns the object in a capsule without taking a reference; may be null.
inline const torch::CustomClassHolder* contentOf(const c10::IValue& capsule) {
  const auto* target = static_cast<const c10::intrusive_ptr_target*>(capsule.internalToPointer());
  return static_cast<const torch::CustomClassHolder*>(target);
}

/// Returns true if a completed c10d::Work ended without an error.
inline bool hasSucceeded(const void* work) {
  return static_cast<const c10d::Work*>(work)->isSuccess();
}

/// An op and its C++ signature in torch.
template <typename Signature>
struct TypedOp {
  std::string_view name;
};

using Tensors = std::vector<at::Tensor>;
using TensorLists = std::vector<std::vector<at::Tensor>>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;
using Group = const c10::intrusive_ptr<c10d::ProcessGroup>&;
using ReduceOp = const c10::intrusive_ptr<c10d::ReduceOp>&;

/// c10d's ops with the signatures that torch/csrc/distributed/c10d/ProcessGroup.hpp calls.
inline constexpr std::tuple kTypedOps = {
    TypedOp<std::tuple<Tensors, WorkPtr>(at::TensorList, Group, int64_t, int64_t, bool, int64_t)>{"c10d::broadcast_"},
    TypedOp<
        std::tuple<Tensors, WorkPtr>(at::TensorList, Group, ReduceOp, const std::optional<at::Tensor>&, bool, int64_t)>{
        "c10d::allreduce_"},
    TypedOp<WorkPtr(at::TensorList, Group, ReduceOp, bool, int64_t)>{"c10d::allreduce_coalesced_"},
    TypedOp<WorkPtr(at::TensorList, Group, ReduceOp, int64_t, int64_t, bool, int64_t)>{"c10d::reduce_"},
    TypedOp<std::tuple<TensorLists, WorkPtr>(const TensorLists&, at::TensorList, Group, bool, int64_t)>{
        "c10d::allgather_"},
    TypedOp<std::tuple<at::Tensor, WorkPtr>(at::Tensor&, at::Tensor&, Group, bool, int64_t)>{"c10d::_allgather_base_"},
    TypedOp<WorkPtr(const TensorLists&, const at::TensorList&, Group, bool)>{"c10d::allgather_coalesced_"},
    TypedOp<WorkPtr(at::TensorList, at::TensorList, Group, bool)>{"c10d::allgather_into_tensor_coalesced_"},
    TypedOp<WorkPtr(const TensorLists&, const at::TensorList&, Group, int64_t, bool, int64_t)>{"c10d::gather_"},
    TypedOp<std::tuple<Tensors, WorkPtr>(const at::TensorList&, const TensorLists&, Group, int64_t, bool, int64_t)>{
        "c10d::scatter_"},
    TypedOp<std::tuple<Tensors, WorkPtr>(const at::TensorList&, const TensorLists&, Group, ReduceOp, bool, int64_t)>{
        "c10d::reduce_scatter_"},
    TypedOp<std::tuple<at::Tensor, WorkPtr>(at::Tensor&, at::Tensor&, Group, ReduceOp, bool, int64_t)>{
        "c10d::_reduce_scatter_base_"},
    TypedOp<WorkPtr(at::TensorList, at::TensorList, Group, ReduceOp, bool, int64_t)>{
        "c10d::reduce_scatter_tensor_coalesced_"},
    TypedOp<WorkPtr(at::Tensor&, at::Tensor&, Group, std::vector<int64_t>, std::vector<int64_t>, bool, int64_t)>{
        "c10d::alltoall_base_"},
    TypedOp<std::tuple<Tensors, WorkPtr>(const at::TensorList&, const at::TensorList&, Group, bool, int64_t)>{
        "c10d::alltoall_"},
    TypedOp<WorkPtr(at::TensorList, Group, int64_t, int64_t)>{"c10d::send"},
    TypedOp<WorkPtr(at::TensorList, Group, int64_t, int64_t)>{"c10d::recv_"},
    TypedOp<WorkPtr(at::TensorList, Group, int64_t)>{"c10d::recv_any_source_"},
    TypedOp<WorkPtr(at::Tensor, Group, const std::vector<int64_t>&, bool, int64_t)>{"c10d::barrier"},
};

} // namespace commtap::compat
