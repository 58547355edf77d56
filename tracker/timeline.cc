// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/timeline.h"

#include <sys/mman.h>

#include <deque>
#include <mutex>
#include <new>
#include <unordered_map>

#include "report/ledger_format.h"

namespace commtap {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<uint64_t, Timeline*> by_thread;
  std::deque<uint64_t> retired; ///< threads that are gone, the oldest first
};

// Leaked on purpose: threads look up until the very end of the process.
Registry& registry() {
  static auto* instance = new Registry();
  return *instance;
}

} // namespace

Timeline* Timeline::create() {
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) { // NOLINT(performance-no-int-to-ptr): MAP_FAILED
    return nullptr;
  }
  return new (std::nothrow) Timeline(static_cast<Point*>(memory));
}

std::optional<uint32_t> Timeline::moduleAt(uint64_t number) const {
  const uint64_t head = head_.load(std::memory_order_acquire);
  if (head == 0) {
    return kGlobalModule;
  }
  uint64_t low = head > kCapacity ? head - kCapacity : 0; // the oldest point kept
  std::optional<uint32_t> module;
  if (points_[low % kCapacity].number.load(std::memory_order_relaxed) > number) {
    module = low == 0 ? std::optional<uint32_t>(kGlobalModule) : std::nullopt; // before the first module call
  } else {
    uint64_t high = head;
    while (high - low > 1) { // the last point whose number is not above `number`
      const uint64_t middle = low + (high - low) / 2;
      (points_[middle % kCapacity].number.load(std::memory_order_relaxed) > number ? high : low) = middle;
    }
    module = points_[low % kCapacity].module.load(std::memory_order_relaxed);
  }
  // The writer may have lapped us; then the point at `low` is another one by now, and whatever it told us is wrong.
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool lapped = head_.load(std::memory_order_relaxed) >= low + kCapacity;
  return lapped ? std::nullopt : module;
}

Timeline* Timelines::add(uint64_t thread_id) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  Timeline* timeline = nullptr;
  if (all.retired.size() > kMaxRetired) {
    const auto oldest = all.by_thread.find(all.retired.front());
    all.retired.pop_front();
    timeline = oldest->second;
    all.by_thread.erase(oldest);
  } else {
    timeline = Timeline::create();
  }
  if (timeline != nullptr) {
    timeline->thread_.store(thread_id); // before the points go: whoever looks up the thread that is gone finds out
    timeline->head_.store(0);
    timeline->last_number_ = Timeline::kNoNumber;
    all.by_thread[thread_id] = timeline;
  }
  return timeline;
}

uint64_t Timelines::maxBytes() {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return all.by_thread.size() * (sizeof(Timeline) + Timeline::kBytes);
}

void Timelines::retire(const Timeline& timeline) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.retired.push_back(timeline.thread_.load());
}

std::optional<uint32_t> Timelines::moduleAt(uint64_t thread_id, uint64_t number) {
  Registry& all = registry();
  const Timeline* timeline = nullptr;
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.by_thread.find(thread_id);
    timeline = found == all.by_thread.end() ? nullptr : found->second;
  }
  if (timeline == nullptr) {
    return kGlobalModule;
  }
  const std::optional<uint32_t> module = timeline->moduleAt(number);
  return timeline->thread_.load() == thread_id ? module : std::nullopt; // given to a new thread meanwhile
}

ForkLock Timelines::forkLock() {
  return {&registry().mutex, [] { new (&registry()) Registry(); }, "timelines at a fork"};
}

} // namespace commtap
