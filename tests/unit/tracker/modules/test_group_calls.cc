// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/group_calls.h"

#include "tests/unit/torch_doctest.h"

#include <optional>
#include <string>
#include <vector>

#include <c10/util/WaitCounter.h>

#include "tests/unit/tracker_fixture.h"

namespace commtap {
namespace {

using c10::monitor::WaitCounterHandle;

CommtapGroupRanks ranksOfNode(CommtapTakeRank take, void* data) {
  for (const int64_t rank : {3, 0, 1, 2}) {
    take(data, rank);
  }
  return kCommtapNamedRanks;
}

std::vector<std::string> functionsIn(const Report& report) {
  std::vector<std::string> functions;
  for (const EnteredCall& call : report.open_calls) {
    functions.push_back(call.function);
  }
  return functions;
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "a call that makes a group is open until it returns; torch's other waits are not noted") {
  GroupCalls::start(ranksOfNode);
  WaitCounterHandle barrier("pytorch.wait_counter.c10d._store_based_barrier");
  WaitCounterHandle other("pytorch.wait_counter.other.new_group");
  WaitCounterHandle make("pytorch.wait_counter.c10d.new_group");
  WaitCounterHandle split("pytorch.wait_counter.c10d.split_group");
  {
    const auto waiting = barrier.start();
    const auto elsewhere = other.start();
    CHECK(functionsIn(report()).empty());
    std::optional<WaitCounterHandle::WaitGuard> making(make.start());
    CHECK(functionsIn(report()) == std::vector<std::string>{"new_group of ranks 0-3"});
    const auto splitting = split.start();
    CHECK(functionsIn(report()) == std::vector<std::string>{"new_group of ranks 0-3", "split_group"});
    making.reset();
    CHECK(functionsIn(report()) == std::vector<std::string>{"split_group"});
  }
  CHECK(functionsIn(report()).empty());
}

} // namespace
} // namespace commtap
