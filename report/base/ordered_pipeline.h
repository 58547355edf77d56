// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace commtap {

/// Makes `count` items on several threads and passes them to one thread in order. The result does not depend on which
/// thread was faster. At most kAhead items per thread are in memory.
template <typename T>
class OrderedPipeline {
 public:
  /// Receives the number of the thread, below threadCount(), and the number of the item. An exception, such as
  /// std::bad_alloc, stops all threads, and run() throws it.
  using Make = std::function<T(size_t, size_t)>;
  /// Receives the number of the item and the item, on the caller's thread.
  using Use = std::function<void(size_t, T)>;

  static size_t threadCount() {
    constexpr size_t kMost = 8;
    return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMost);
  }

  OrderedPipeline(size_t count, Make make) : count_(count), make_(std::move(make)), slots_(threadCount() * kAhead) {
    threads_.reserve(threadCount()); // so that no reallocation fails while threads already run
    try {
      for (size_t thread = 0; thread < threadCount(); ++thread) {
        threads_.emplace_back([this, thread] { work(thread); });
      }
    } catch (const std::system_error&) { // too many threads for the user's limit: go on with fewer
      if (threads_.empty()) {
        throw;
      }
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

  /// Passes each item to `use`. Throws the first exception that `make` threw.
  void run(const Use& use) {
    for (size_t item = 0; item < count_; ++item) {
      use(item, wait(item));
    }
  }

 private:
  static constexpr size_t kAhead = 4;

  T wait(size_t item) {
    std::unique_lock lock(mutex_);
    std::optional<T>& slot = slots_[item % slots_.size()];
    changed_.wait(lock, [&] { return slot.has_value() || failure_; });
    if (!slot) {
      std::rethrow_exception(failure_);
    }
    T value = std::move(*slot);
    slot.reset();
    ++used_;
    changed_.notify_all();
    return value;
  }

  /// Waits for a free slot and returns the next item to make; nullopt if no item is left.
  std::optional<size_t> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || begun_ == count_ || begun_ < used_ + slots_.size(); });
    return stopped_ || begun_ == count_ ? std::nullopt : std::optional<size_t>(begun_++);
  }

  void work(size_t thread) {
    try {
      while (const std::optional<size_t> item = next()) {
        T value = make_(thread, *item);
        const std::lock_guard lock(mutex_);
        slots_[*item % slots_.size()] = std::move(value);
        changed_.notify_all();
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  /// Keeps the first failure and stops all threads.
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) {
      failure_ = std::move(failure);
    }
    stopped_ = true;
    changed_.notify_all();
  }

  const size_t count_;
  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<T>> slots_; ///< item i is in slot i modulo their number
  size_t begun_ = 0;
  size_t used_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;       ///< the first exception that make_ threw
  std::vector<std::thread> threads_; ///< last: the threads use every member above
};

} // namespace commtap
