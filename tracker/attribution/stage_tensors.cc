// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/stage_tensors.h"

#include <algorithm>

#include "tracker/attribution/module_registry.h"

namespace commtap {
namespace {

/// Returns true for a tensor that can be an activation with a gradient. Scalars are losses and metrics.
bool canBeActivation(const at::Tensor& tensor) {
  return (tensor.is_floating_point() || tensor.is_complex()) && tensor.numel() > 1;
}

} // namespace

constinit std::atomic<bool> StageTensors::wanted_{false};

void StageTensors::Sizes::add(int64_t elements) {
  if (!has(elements)) {
    last[next++ % last.size()] = elements;
  }
}

bool StageTensors::Sizes::has(int64_t elements) const {
  return std::find(last.begin(), last.end(), elements) != last.end();
}

void StageTensors::Union::add(uint32_t other) {
  module = any ? ModuleRegistry::get().commonAncestor(module, other) : other;
  any = true;
}

StageTensors::Entry* StageTensors::find(const at::TensorImpl& tensor) {
  const auto found =
      tensor.has_storage() ? entries_.find(tensor.unsafe_storage().unsafeGetStorageImpl()) : entries_.end();
  return found == entries_.end() ? nullptr : &found->second;
}

void StageTensors::remember(const at::TensorImpl& tensor, Role role, uint32_t module, uint64_t peer) {
  if (!tensor.has_storage()) {
    return;
  }
  const c10::StorageImpl* storage = tensor.unsafe_storage().unsafeGetStorageImpl();
  Entry entry{tensor.unsafe_storage().getWeakStorageImpl(), role, module, peer};
  if (const auto known = entries_.find(storage); known != entries_.end()) {
    known->second = std::move(entry);
    return;
  }
  const c10::StorageImpl*& slot = order_[next_++ % kCapacity];
  if (slot != nullptr) {
    entries_.erase(slot);
  }
  slot = storage;
  entries_.emplace(storage, std::move(entry));
}

void StageTensors::noteInput(uint32_t module, const at::TensorImpl& tensor) {
  called_.add(module);
  const Entry* known = find(tensor);
  if (known != nullptr && known->role == Role::kReceived) {
    stages_.add(module);
    previous_peers_.insert(known->peer);
    received_.add(tensor.numel());
  } else if (known != nullptr && known->role == Role::kOutput) {
    return; // of another module: a loss or this rank's next stage
  }
  remember(tensor, Role::kInput, module, kAnyPeer);
}

void StageTensors::noteOutput(uint32_t module, const at::TensorImpl& tensor) {
  if (find(tensor) == nullptr) { // else the module returns what it took
    remember(tensor, Role::kOutput, module, kAnyPeer);
  }
}

std::optional<StageTensors::Stage> StageTensors::stageOf(const Message& message) {
  if (message.tensor == nullptr || !message.tensor->defined()) {
    return std::nullopt;
  }
  Entry* known = find(*message.tensor->unsafeGetTensorImpl());
  if (known != nullptr && known->role != Role::kReceived) {
    stages_.add(known->module);
    const bool send = message.kind == Kind::kSend;
    (send ? next_peers_ : previous_peers_).insert(message.peer);
    (send ? sent_ : received_).add(message.tensor->numel());
    return Stage{known->module, Phase::kForward};
  }
  if (!canBeActivation(*message.tensor)) {
    return std::nullopt;
  }
  return message.kind == Kind::kSend ? stageOfSend(message) : stageOfReceive(message);
}

/// A send of what no module has returned is a gradient, if as much was received from there.
std::optional<StageTensors::Stage> StageTensors::stageOfSend(const Message& message) const {
  const bool is_gradient = previous_peers_.count(message.peer) > 0 && received_.has(message.tensor->numel());
  return is_gradient ? onlyStage(Phase::kBackward) : std::nullopt;
}

/// A receive is a gradient if as much was sent there, else an activation for the stage.
std::optional<StageTensors::Stage> StageTensors::stageOfReceive(const Message& message) {
  remember(*message.tensor->unsafeGetTensorImpl(), Role::kReceived, kGlobalModule, message.peer);
  const bool is_gradient = next_peers_.count(message.peer) > 0 && sent_.has(message.tensor->numel());
  return onlyStage(is_gradient ? Phase::kBackward : Phase::kForward);
}

/// Returns nullopt if no module has been called.
std::optional<StageTensors::Stage> StageTensors::onlyStage(Phase phase) const {
  const Union& candidates = stages_.any ? stages_ : called_;
  return candidates.any ? std::optional<Stage>({candidates.module, phase}) : std::nullopt;
}

} // namespace commtap
