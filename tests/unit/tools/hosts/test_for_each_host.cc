// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/for_each_host.h"

#include <doctest/doctest.h>

#include <atomic>
#include <vector>

namespace commtap {
namespace {

TEST_CASE("each index is worked on once, and each thread has a state of its own") {
  struct State {
    int calls = 0;
  };
  std::vector<int> seen(1000);
  std::atomic<int> most = 0;
  forEachHost<State>(seen.size(), [&](State& state, size_t index) {
    ++seen[index];
    const int calls = ++state.calls;
    int before = most;
    while (before < calls && !most.compare_exchange_weak(before, calls)) {
    }
  });
  CHECK(seen == std::vector<int>(1000, 1));
  CHECK(most >= 1000 / 64);
  forEachHost<State>(0, [](State&, size_t) { FAIL("there is no host"); });
}

} // namespace
} // namespace commtap
