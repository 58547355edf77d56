// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/core/fork_locks.h"

namespace commtap {

/// Maps autograd sequence numbers to the module that the thread was in: a ring of change points, in order.
///
/// Every autograd node carries the number and the thread of the forward op that made it. The timeline gives the module
/// of a node that runs in backward without any hook in the graph.
/// One thread writes, through a TimelineWriter; any thread may look up.
class Timeline {
 public:
  /// Change points kept: 32,768 module entries and exits, 512 KiB. Only used pages are resident.
  static constexpr uint64_t kCapacity = 32768;

  /// Returns nullptr if there is no memory.
  static Timeline* create();

  /// Returns whether the thread with autograd's id `thread_id` writes it.
  bool belongsTo(uint64_t thread_id) const {
    return thread_.load(std::memory_order_relaxed) == thread_id;
  }
  /// Returns the module at `number`; nullopt if its change point has been overwritten.
  std::optional<uint32_t> moduleAt(uint64_t number) const;

 private:
  friend class Timelines;
  friend class TimelineWriter;

  struct Point {
    std::atomic<uint64_t> number;
    std::atomic<uint32_t> module;
  };

  Point& append(uint64_t number, uint32_t module) {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    Point& point = points_[head % kCapacity];
    point.number.store(number, std::memory_order_relaxed);
    point.module.store(module, std::memory_order_relaxed);
    head_.store(head + 1, std::memory_order_release);
    return point;
  }

  bool isAfter(uint64_t point, uint64_t number) const {
    return points_[point % kCapacity].number.load(std::memory_order_relaxed) > number;
  }
  std::optional<uint64_t> lastPointAt(uint64_t number, uint64_t oldest, uint64_t head) const;

  static constexpr size_t kBytes = kCapacity * sizeof(Point);

  explicit Timeline(Point* points) : points_(points) {}

  Point* points_;
  std::atomic<uint64_t> head_{0};   ///< points ever written
  std::atomic<uint64_t> thread_{0}; ///< autograd's id of the owning thread
};

/// The writer of a timeline; only its thread uses it. A call without a new autograd number does not read the ring.
class TimelineWriter {
 public:
  explicit TimelineWriter(Timeline& timeline) : timeline_(timeline) {}

  /// Notes that the thread is in `module` from sequence number `number` on. Numbers never decrease.
  void note(uint64_t number, uint32_t module) {
    // Overwrites the last point if autograd has assigned no number since.
    if (number == last_number_) [[likely]] {
      last_->module.store(module, std::memory_order_relaxed);
      return;
    }
    last_ = &timeline_.append(number, module);
    last_number_ = number;
  }

  /// Notes that the node which autograd made last was made for `module`, and that the thread is in `around` again from
  /// `number` on, which comes next. Does nothing if the thread has entered or left a module since.
  void noteLastNode(uint64_t number, uint32_t module, uint32_t around) {
    if (number > 0 && (last_number_ == kNoNumber || last_number_ < number)) {
      note(number - 1, module);
      note(number, around);
    }
  }

  const Timeline& timeline() const {
    return timeline_;
  }

 private:
  static constexpr uint64_t kNoNumber = ~uint64_t{0};

  uint64_t last_number_ = kNoNumber; ///< number of the last point
  Timeline::Point* last_ = nullptr;  ///< null: none yet
  Timeline& timeline_;
};

/// The timelines of all threads, by the thread id that autograd nodes carry. A timeline outlives its thread because the
/// thread's graph may. Keeps the timelines of the kMaxRetired threads that exited last.
class Timelines {
 public:
  static constexpr size_t kMaxRetired = 256;

  /// Adds a timeline for a new thread. Returns nullptr if there is no memory.
  static Timeline* add(uint64_t thread_id);
  /// Returns the bytes that all timelines take if they are full.
  static uint64_t maxBytes();
  /// Notes that the timeline's thread exits. The timeline may be reused later.
  static void retire(const Timeline& timeline);
  /// Returns the module that `thread_id` was in at `number`: Global if that thread never called a module, nullopt if
  /// the number is too old. Blocks at most for a hash lookup under a lock.
  static std::optional<uint32_t> moduleAt(uint64_t thread_id, uint64_t number);

  static ForkLock forkLock();

 private:
  static const Timeline* find(uint64_t thread_id);
};

/// Signs of communication that commtap cannot see: kernels communicate by themselves. The report names them in
/// `not_seen`. (tracker/gpu/nccl_calls.cc notes those that are calls to NCCL.)
class UnseenSigns {
 public:
  /// Notes that the ranks have exchanged a tensor of symmetric memory.
  static void symmetricMemoryExchanged() noexcept;

  /// Adds the signs to the ledger. Call before the report is made; later calls do nothing.
  static void noteAll();

  /// Returns the names of the files in a list like /proc/self/maps whose kernels communicate by themselves.
  static std::vector<std::string> deviceLibraries(std::string_view maps);

  static void resetInForkedChild();
};

} // namespace commtap
