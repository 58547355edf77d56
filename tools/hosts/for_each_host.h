// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

namespace commtap {

/// Calls work(worker state, index) for each index below `count`, in up to `kMostAtOnce` threads. Most of the work waits
/// for other machines.
template <typename State, typename Work>
void forEachHost(size_t count, const Work& work) {
  constexpr size_t kMostAtOnce = 64;
  std::atomic<size_t> next = 0;
  const auto run = [&next, count, &work] {
    State state;
    for (size_t index = next++; index < count; index = next++) {
      work(state, index);
    }
  };
  std::vector<std::future<void>> workers;
  for (size_t i = 0; i < std::min(count, kMostAtOnce); ++i) {
    workers.push_back(std::async(std::launch::async, run));
  }
  for (std::future<void>& worker : workers) {
    worker.get();
  }
}

} // namespace commtap
