// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace commtap {

/// Makes `count` items on several threads and hands them to one, in order: the result does not depend on which thread
/// was faster, and at most kAhead items are in memory for each thread.
template <typename T>
class OrderedPipeline {
 public:
  /// Called with the number of the thread, below threadCount(), and that of the item; must not throw.
  using Make = std::function<T(size_t, size_t)>;
  /// Called on the caller's thread with the number of the item.
  using Use = std::function<void(size_t, T)>;

  static size_t threadCount() {
    constexpr size_t kMost = 8;
    return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMost);
  }

  OrderedPipeline(size_t count, Make make) : count_(count), make_(std::move(make)), slots_(threadCount() * kAhead) {
    for (size_t thread = 0; thread < threadCount(); ++thread) {
      threads_.emplace_back([this, thread] { work(thread); });
    }
  }
  OrderedPipeline(const OrderedPipeline&) = delete;
  OrderedPipeline& operator=(const OrderedPipeline&) = delete;
  ~OrderedPipeline() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  void run(const Use& use) {
    for (size_t item = 0; item < count_; ++item) {
      use(item, wait(item));
    }
  }

 private:
  static constexpr size_t kAhead = 8;

  T wait(size_t item) {
    std::unique_lock lock(mutex_);
    std::optional<T>& slot = slots_[item % slots_.size()];
    changed_.wait(lock, [&slot] { return slot.has_value(); });
    T value = std::move(*slot);
    slot.reset();
    ++used_;
    changed_.notify_all();
    return value;
  }

  /// The next item to be made by a thread, once there is room for it; nullopt when there is none left.
  std::optional<size_t> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || begun_ == count_ || begun_ < used_ + slots_.size(); });
    return stopped_ || begun_ == count_ ? std::nullopt : std::optional<size_t>(begun_++);
  }

  void work(size_t thread) {
    while (const std::optional<size_t> item = next()) {
      T value = make_(thread, *item);
      const std::lock_guard lock(mutex_);
      slots_[*item % slots_.size()] = std::move(value);
      changed_.notify_all();
    }
  }

  const size_t count_;
  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<T>> slots_; ///< item i is in slot i modulo their number
  size_t begun_ = 0;
  size_t used_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> threads_; ///< last, so that all else is there when they start
};

} // namespace commtap
