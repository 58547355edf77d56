// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the tracker calls of torch and differs between the versions that a tracker can be built for, as small named
// functions. Only what libtorch_cpu exports is used; nothing of libtorch_python.

#include <cstdint>
#include <limits>
#include <string>
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

/// Global ranks of the group's members; empty if its backend does not say. May throw. A list of another length is none:
/// no function of torch returns it, so its place in the options cannot be verified.
inline std::vector<uint64_t> globalRanks(const c10d::ProcessGroup& group) {
  const auto backend = group.getDefaultBackend();
  const auto options = backend ? backend->getBackendOptions() : nullptr; // null for a backend made without
  const bool has_ranks = options && options->global_ranks_in_group.size() == static_cast<size_t>(group.getSize());
  return has_ranks ? options->global_ranks_in_group : std::vector<uint64_t>();
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

} // namespace commtap::compat
