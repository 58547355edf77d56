// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Everything that differs between the torch versions that a tracker can be built for, as small named functions.
// Only what libtorch_cpu exports is used; nothing of libtorch_python.

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
#include <c10/core/GradMode.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/version.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace commtap::compat {

/// "2.13": trackers are chosen by this.
inline std::string builtForTorch() {
  return std::to_string(TORCH_VERSION_MAJOR) + "." + std::to_string(TORCH_VERSION_MINOR);
}

/// The id that autograd nodes made on this thread carry.
inline uint64_t threadId() {
  return at::RecordFunction::currentThreadId();
}

/// The number of the backward that the autograd engine runs on this thread; they are counted from 0 in each process,
/// those that reentrant checkpointing runs inside another among them. -1 outside of one.
inline int64_t graphTask() {
  return torch::autograd::get_current_graph_task_id();
}

/// The number that autograd gives to the next node made on this thread.
inline uint64_t nextSequenceNumber() {
  return at::sequence_number::peek();
}

/// False in no_grad and inference_mode on this thread.
inline bool gradEnabled() {
  return c10::GradMode::is_enabled();
}

/// True while the autograd engine runs a backward on this thread, its final callbacks included.
inline bool inBackward() {
  return graphTask() != -1;
}

/// The autograd node that runs on this thread, or is about to: its hooks count as part of it. May be null.
inline auto currentNode() {
  return torch::autograd::get_current_node();
}

/// Gradient accumulation has no forward op, so no number.
inline bool hasSequenceNumber(const torch::autograd::Node& node) {
  return node.sequence_nr() != std::numeric_limits<uint64_t>::max();
}

/// The leaf tensor whose gradient `node` accumulates; null for every other node.
inline const at::TensorImpl* accumulatedTensor(torch::autograd::Node& node) {
  const auto* accumulate = dynamic_cast<torch::autograd::AccumulateGrad*>(&node);
  return accumulate == nullptr ? nullptr : accumulate->variable.unsafeGetTensorImpl();
}

/// Global ranks of the group's members; empty if its backend does not say. May throw.
inline std::vector<uint64_t> globalRanks(const c10d::ProcessGroup& group) {
  const auto backend = group.getDefaultBackend();
  const auto options = backend ? backend->getBackendOptions() : nullptr; // null for a backend made without
  return options ? options->global_ranks_in_group : std::vector<uint64_t>();
}

/// The Python object of a tensor subclass; null for a tensor whose ops do not pass through Python.
inline void* pythonObject(const at::Tensor& tensor) {
  return tensor.key_set().has(c10::DispatchKey::Python) ? tensor.unsafeGetTensorImpl()->pyobj_slot()->load_pyobj()
                                                        : nullptr;
}

/// True while this thread's ops are looked at by a compiler: in FakeTensorMode, while tracing, or functionalized.
inline bool isTracing() {
  using Key = c10::impl::TorchDispatchModeKey;
  for (const Key key : {Key::FAKE, Key::PROXY, Key::FUNCTIONAL}) {
    if (c10::impl::TorchDispatchModeTLS::get_mode(key)) {
      return true;
    }
  }
  return false;
}

/// The object in a capsule, without counting a reference; may be null.
inline const torch::CustomClassHolder* contentOf(const c10::IValue& capsule) {
  const auto* target = static_cast<const c10::intrusive_ptr_target*>(capsule.internalToPointer());
  return static_cast<const torch::CustomClassHolder*>(target);
}

/// Whether a c10d::Work that is over ended without an error.
inline bool hasSucceeded(const void* work) {
  return static_cast<const c10d::Work*>(work)->isSuccess();
}

/// An op and the C++ type under which torch registers and calls it.
template <typename Signature>
struct TypedOp {
  std::string_view name;
};

using Tensors = std::vector<at::Tensor>;
using TensorLists = std::vector<std::vector<at::Tensor>>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;
using Group = const c10::intrusive_ptr<c10d::ProcessGroup>&;
using ReduceOp = const c10::intrusive_ptr<c10d::ReduceOp>&;

/// c10d's ops, as torch/csrc/distributed/c10d/ProcessGroup.hpp calls them.
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
