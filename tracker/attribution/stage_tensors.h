// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/SmallVector.h>
#include <c10/util/intrusive_ptr.h>

#include "report/ledger/ledger_format.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// Finds the pipeline stage and the direction of a send or receive by the memory of its tensor: an activation is an
/// output or input of an outermost module call, a gradient has as many elements as an activation that went the other
/// way. An input in other memory is a copy of a received message if that has its shape and no earlier call took it.
/// For the schedules that no label names. One thread uses an object: the one that runs the schedule.
///
/// Keeps no tensor alive. It holds weak references, so that no other storage can get the address of one it remembers.
class StageTensors {
 public:
  /// A send or receive.
  struct Message {
    Kind kind = Kind::kOther;
    uint64_t peer = kAnyPeer; ///< the other rank and the group
    const at::Tensor* tensor = nullptr;
  };
  struct Stage {
    uint32_t module = kGlobalModule; ///< Global if several modules could be the stage
    Phase phase = Phase::kOther;
  };
  static constexpr uint64_t kAnyPeer = ~uint64_t{0};
  static constexpr size_t kCapacity = 256; ///< tensors remembered; the oldest is forgotten first

  /// True once this process can have a pipeline: once it has a group of several ranks.
  static bool wanted() {
    return wanted_.load(std::memory_order_relaxed);
  }
  static void want() {
    wanted_.store(true, std::memory_order_relaxed);
  }

  /// Notes a tensor that an outermost call of `module` took or returned. Takes first, as the call does.
  void noteInput(uint32_t module, const at::TensorImpl& tensor);
  void noteOutput(uint32_t module, const at::TensorImpl& tensor);
  /// Returns the stage that sends or receives the message, and notes the message. Returns nullopt if nothing says that
  /// the message is one of a pipeline.
  std::optional<Stage> stageOf(const Message& message);
  /// The row and the number of a counted message.
  struct Counted {
    CollectiveKey key;
    uint64_t bytes = 0;
    uint64_t number = 0; ///< among the last collectives
  };
  /// Notes where the last message was counted. A receive before the stage is known is counted again, in the row of
  /// its stage, once a module call takes what was received.
  void counted(const Counted& message);

 private:
  enum class Role : uint8_t { kInput, kOutput, kReceived };
  struct Entry {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    Role role;
    uint32_t module;
    uint64_t peer; ///< kReceived: where it came from
  };
  /// A received message that no module call has taken yet.
  struct Arrival {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    at::ScalarType dtype;
    c10::SmallVector<int64_t, 5> shape;
    uint64_t peer;
    std::optional<Counted> early{}; ///< counted before its stage was known
    bool isIn(const at::TensorImpl& tensor) const;
    bool isLike(const at::TensorImpl& tensor) const;
  };
  /// The numbers of elements of the last activations that crossed the stage's border in one direction.
  struct Sizes {
    std::array<int64_t, 64> last{};
    size_t next = 0;
    void add(int64_t elements);
    bool has(int64_t elements) const;
  };
  /// The common ancestor of modules that are added one by one.
  struct Union {
    uint32_t module = kGlobalModule;
    bool any = false;
    void add(uint32_t other);
  };

  Entry* find(const at::TensorImpl& tensor);
  void remember(const at::TensorImpl& tensor, Role role, uint32_t module, uint64_t peer);
  void noteArrival(const at::TensorImpl& tensor, uint64_t peer);
  std::optional<Arrival> takeArrival(const at::TensorImpl& input);
  std::optional<Stage> stageOfSend(const Message& message) const;
  std::optional<Stage> stageOfReceive(const Message& message);
  std::optional<Stage> onlyStage(Phase phase) const;

  static std::atomic<bool> wanted_;

  std::unordered_map<const c10::StorageImpl*, Entry> entries_;
  std::array<const c10::StorageImpl*, kCapacity> order_{}; ///< keys of entries_, a ring
  size_t next_ = 0;
  std::deque<Arrival> arrivals_;      ///< at most kCapacity, the oldest first
  bool is_early_ = false;             ///< the last message is the last arrival, and its stage is not known
  Union stages_;                      ///< those whose tensors were sent or received
  std::set<uint64_t> next_peers_;     ///< that activations were sent to
  std::set<uint64_t> previous_peers_; ///< that activations came from
  Sizes sent_;
  Sizes received_;
};

} // namespace commtap
