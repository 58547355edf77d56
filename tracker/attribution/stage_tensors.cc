// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/stage_tensors.h"

#include <algorithm>
#include <utility>

#include "tracker/attribution/module_registry.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

/// Moves a call from its row to that of a module's forward. Both rows have the same lane of the running step.
void countAgain(const StageTensors::Counted& message, uint32_t module) {
  LedgerWriter& ledger = ProcessLedger::ledger();
  CollectiveKey key = message.key;
  key.module = key.issued_in = module;
  key.phase = Phase::kForward;
  key.setup = 0;
  key.label = 0;
  LedgerCollective* const from = ledger.row(message.key);
  LedgerCollective* const to = ledger.row(key);
  if (from == nullptr || to == nullptr || from->count.load(std::memory_order_relaxed) == 0) {
    return; // a table is full, or the job has set its counters to 0
  }
  ledger.count(*to, {1, message.bytes});
  ledger.count(*from, {~uint64_t{0}, ~message.bytes + 1});
  ledger.moveLast(message.number, ledger.numberOf(to));
  const bool is_last = from->count.load(std::memory_order_relaxed) == 0;
  if (is_last && !ledger.moveTimes(*from, *to)) {
    ledger.notSeen(NotSeen::kUntimed, ledger.text(key.op));
  }
}

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

/// Returns whether the message came into the memory of a tensor.
bool StageTensors::Arrival::isIn(const at::TensorImpl& tensor) const {
  return tensor.has_storage() && storage._unsafe_get_target() == tensor.unsafe_storage().unsafeGetStorageImpl();
}

bool StageTensors::Arrival::isLike(const at::TensorImpl& tensor) const {
  return tensor.dtype() == c10::scalarTypeToTypeMeta(dtype) && tensor.sizes() == at::IntArrayRef(shape);
}

/// A message replaces an earlier one in the same memory.
void StageTensors::noteArrival(const at::TensorImpl& tensor, uint64_t peer) {
  if (!tensor.has_storage()) {
    return;
  }
  const auto shape = tensor.sizes();
  std::erase_if(arrivals_, [&](const Arrival& each) { return each.isIn(tensor) && each.isLike(tensor); });
  if (arrivals_.size() == kCapacity) {
    arrivals_.pop_front();
  }
  arrivals_.push_back(
      {tensor.unsafe_storage().getWeakStorageImpl(),
       c10::typeMetaToScalarType(tensor.dtype()),
       {shape.begin(), shape.end()},
       peer});
  is_early_ = !stages_.any;
}

/// Removes and returns the message that an input is in the memory of, or is a copy of.
std::optional<StageTensors::Arrival> StageTensors::takeArrival(const at::TensorImpl& input) {
  auto found = std::find_if(arrivals_.begin(), arrivals_.end(), [&](const Arrival& each) { return each.isIn(input); });
  if (found == arrivals_.end()) {
    found = std::find_if(arrivals_.begin(), arrivals_.end(), [&](const Arrival& each) { return each.isLike(input); });
  }
  if (found == arrivals_.end()) {
    return std::nullopt;
  }
  Arrival taken = std::move(*found);
  arrivals_.erase(found);
  return taken;
}

void StageTensors::counted(const Counted& message) {
  if (is_early_) {
    arrivals_.back().early = message;
    is_early_ = false;
  }
}

void StageTensors::noteInput(uint32_t module, const at::TensorImpl& tensor) {
  const Entry* known = find(tensor);
  if (known != nullptr && known->role == Role::kOutput) {
    return; // of another module: a loss or this rank's next stage
  }
  const bool is_received = known != nullptr && known->role == Role::kReceived;
  const std::optional<Arrival> arrival = takeArrival(tensor);
  if (arrival && arrival->early) {
    countAgain(*arrival->early, module);
  }
  if (is_received || arrival) {
    stages_.add(module);
    previous_peers_.insert(is_received ? known->peer : arrival->peer);
    received_.add(tensor.numel());
  }
  remember(tensor, Role::kInput, module, kAnyPeer);
}

void StageTensors::noteOutput(uint32_t module, const at::TensorImpl& tensor) {
  if (find(tensor) == nullptr) { // else the module returns what it took
    remember(tensor, Role::kOutput, module, kAnyPeer);
  }
}

std::optional<StageTensors::Stage> StageTensors::stageOf(const Message& message) {
  is_early_ = false;
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
  if (!is_gradient) {
    noteArrival(*message.tensor->unsafeGetTensorImpl(), message.peer);
  }
  return onlyStage(is_gradient ? Phase::kBackward : Phase::kForward);
}

/// Returns nullopt if no module has taken or given a message: then the message may be of a ring, and for no module.
std::optional<StageTensors::Stage> StageTensors::onlyStage(Phase phase) const {
  return stages_.any ? std::optional<Stage>({stages_.module, phase}) : std::nullopt;
}

} // namespace commtap
