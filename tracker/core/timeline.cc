// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/timeline.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <new>
#include <unordered_map>

#include "report/ledger/ledger_format.h"
#include "tracker/core/process_ledger.h"
#include "tracker/torch/function_names.h"

namespace commtap {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<uint64_t, Timeline*> by_thread;
  std::deque<uint64_t> retired; ///< exited threads, oldest first
};

// Leaked on purpose: threads look up until the process exits.
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

/// Returns the last point not after `number`; nullopt if every kept point is after it.
std::optional<uint64_t> Timeline::lastPointAt(uint64_t number, uint64_t oldest, uint64_t head) const {
  if (isAfter(oldest, number)) {
    return std::nullopt;
  }
  uint64_t low = oldest;
  uint64_t high = head;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (isAfter(middle, number) ? high : low) = middle;
  }
  return low;
}

std::optional<uint32_t> Timeline::moduleAt(uint64_t number) const {
  const uint64_t head = head_.load(std::memory_order_acquire);
  if (head == 0) {
    return kGlobalModule;
  }
  const uint64_t oldest = head > kCapacity ? head - kCapacity : 0;
  const std::optional<uint64_t> point = lastPointAt(number, oldest, head);
  std::optional<uint32_t> module;
  if (point) {
    module = points_[*point % kCapacity].module.load(std::memory_order_relaxed);
  } else if (oldest == 0) { // before the first module call
    module = kGlobalModule;
  }
  // The writer may have overwritten the point during the read: the value is then wrong.
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool lapped = head_.load(std::memory_order_relaxed) >= point.value_or(oldest) + kCapacity;
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
    timeline->thread_.store(thread_id); // before the points: a reader of the exited thread must notice the change
    timeline->head_.store(0);
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

const Timeline* Timelines::find(uint64_t thread_id) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.by_thread.find(thread_id);
  return found == all.by_thread.end() ? nullptr : found->second;
}

std::optional<uint32_t> Timelines::moduleAt(uint64_t thread_id, uint64_t number) {
  const Timeline* timeline = find(thread_id);
  if (timeline == nullptr) {
    return kGlobalModule;
  }
  const std::optional<uint32_t> module = timeline->moduleAt(number);
  const bool taken_over = timeline->thread_.load() != thread_id; // by a new thread, while this one read
  return taken_over ? std::nullopt : module;
}

ForkLock Timelines::forkLock() {
  return {&registry().mutex, [] { new (&registry()) Registry(); }, "timelines at a fork"};
}

namespace {

std::atomic<uint64_t> exchanged{0};
std::atomic<bool> is_noted{false};

bool isDeviceLibrary(std::string_view name) {
  using torch_names::kDeviceLibraries;
  return std::any_of(kDeviceLibraries.begin(), kDeviceLibraries.end(), [&](std::string_view prefix) {
    return name.starts_with(prefix);
  });
}

/// Reads the list without the loader's lock, which a thread may hold while the process ends.
std::string mapsOfThisProcess() {
  std::ifstream maps("/proc/self/maps");
  return {std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>()};
}

} // namespace

void UnseenSigns::symmetricMemoryExchanged() noexcept {
  exchanged.fetch_add(1, std::memory_order_relaxed);
}

std::vector<std::string> UnseenSigns::deviceLibraries(std::string_view maps) {
  std::vector<std::string> found;
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    const size_t slash = line.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? std::string_view() : line.substr(slash + 1);
    if (isDeviceLibrary(name) && std::find(found.begin(), found.end(), name) == found.end()) {
      found.emplace_back(name);
    }
  }
  return found;
}

void UnseenSigns::noteAll() {
  if (is_noted.exchange(true)) {
    return;
  }
  LedgerWriter& ledger = ProcessLedger::ledger();
  const uint64_t tensors = exchanged.load(std::memory_order_relaxed);
  if (tensors > 0 && !ledger.hasOpsOf(torch_names::kSymmetricMemoryOps)) {
    ledger.notSeen(NotSeen::kSymmetricMemory, "symmetric_memory::rendezvous", tensors);
  }
  for (const std::string& library : deviceLibraries(mapsOfThisProcess())) {
    ledger.notSeen(NotSeen::kDeviceLibraries, library);
  }
}

void UnseenSigns::resetInForkedChild() {
  exchanged.store(0, std::memory_order_relaxed);
  is_noted.store(false, std::memory_order_relaxed);
}

} // namespace commtap
