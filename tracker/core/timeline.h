// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "tracker/core/fork_locks.h"

namespace commtap {

/// Which module a thread was in when autograd gave out which sequence number: a ring of change points, in order.
///
/// Every autograd node carries the number and the thread of the forward op that made it. So the module of a node that
/// runs in backward is found by looking up its number here, and nothing at all is hooked into the graph.
/// One thread writes, by a TimelineWriter; any thread may look up.
class Timeline {
 public:
  /// Change points kept: 32,768 module entries and exits, 512 KiB, of which only what is used exists.
  static constexpr uint64_t kCapacity = 32768;

  /// nullptr without memory.
  static Timeline* create();

  /// The module at `number`; nullopt if that is too long ago to be known. `near`: the change point at which to begin to
  /// look, any number; becomes the one that was found. A backward goes from node to node that lie close together, and
  /// the whole ring is more than the caches hold.
  std::optional<uint32_t> moduleAt(uint64_t number, uint64_t& near) const;

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
  std::optional<uint64_t> lastPointAt(uint64_t number, uint64_t near, uint64_t oldest, uint64_t head) const;

  static constexpr size_t kBytes = kCapacity * sizeof(Point);

  explicit Timeline(Point* points) : points_(points) {}

  Point* points_;
  std::atomic<uint64_t> head_{0};   ///< points ever written
  std::atomic<uint64_t> thread_{0}; ///< whose it is, by autograd's thread ids
};

/// The one thread that writes a timeline. It lies with what else a module call needs of its thread, so that one that
/// autograd gave no number to since the last does not touch the timeline itself.
class TimelineWriter {
 public:
  explicit TimelineWriter(Timeline& timeline) : timeline_(timeline) {}

  /// From sequence number `number` on this thread is in `module`. Numbers never fall.
  void note(uint64_t number, uint32_t module) {
    // As long as autograd has given out no number since the last point, that one is written anew.
    if (number == last_number_) [[likely]] {
      last_->module.store(module, std::memory_order_relaxed);
      return;
    }
    last_ = &timeline_.append(number, module);
    last_number_ = number;
  }

  const Timeline& timeline() const {
    return timeline_;
  }

 private:
  static constexpr uint64_t kNoNumber = ~uint64_t{0};

  uint64_t last_number_ = kNoNumber; ///< of the last point
  Timeline::Point* last_ = nullptr;  ///< null: none yet
  Timeline& timeline_;
};

/// The timelines of all threads, by the thread id that autograd nodes carry. A thread's timeline outlives it, because
/// its graph may; of those whose threads are gone the 256 last are kept.
class Timelines {
 public:
  static constexpr size_t kMaxRetired = 256;

  /// What a thread has looked up last: its next node is probably of the same thread, and near.
  struct Sought {
    const Timeline* timeline = nullptr; ///< null: none
    uint64_t near = 0;                  ///< change point
  };

  /// For a thread that begins; nullptr without memory.
  static Timeline* add(uint64_t thread_id);
  /// Bytes of memory that all of them take, if they are full.
  static uint64_t maxBytes();
  /// The thread ends.
  static void retire(const Timeline& timeline);
  /// The module that `thread_id` was in at `number`: Global if that thread never called one, nullopt if it is not
  /// known any more. Never blocks for long: at most a short table behind a lock.
  static std::optional<uint32_t> moduleAt(uint64_t thread_id, uint64_t number, Sought& last);

  static ForkLock forkLock();

 private:
  static const Timeline* find(uint64_t thread_id);
};

} // namespace commtap
