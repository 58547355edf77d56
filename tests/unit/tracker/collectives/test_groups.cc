// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/groups.h"

#include "tests/unit/torch_doctest.h"

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/child.h"
#include "tests/unit/fake_group.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

/// A backend that states the global ranks of its group.
class RankedBackend final : public c10d::Backend {
 public:
  RankedBackend(int size, std::vector<uint64_t> ranks)
      : Backend(0, size), options_(c10::make_intrusive<Options>("ranked")) {
    options_->global_ranks_in_group = std::move(ranks);
  }
  const std::string getBackendName() const override {
    return "ranked";
  }
  c10::intrusive_ptr<Options> getBackendOptions() override {
    return options_;
  }

 private:
  c10::intrusive_ptr<Options> options_;
};

TEST_CASE_FIXTURE(TrackerFixture, "a group is one entry, however often it is seen") {
  ThreadState& thread = *ThreadState::current();
  const auto tp = makeGroup("g-tp", "tp", 4);
  const auto dp = makeGroup("g-dp", "dp", 2);
  const GroupRef first = groupOf(*tp, thread);
  CHECK(first.size == 4);
  CHECK(groupOf(*dp, thread).index != first.index);
  CHECK(groupOf(*tp, thread).index == first.index);
  const Group entry = report().groups.at(first.index);
  CHECK(entry.name == "g-tp");
  CHECK(entry.desc == "tp");
  CHECK(entry.size == 4);
}

TEST_CASE_FIXTURE(TrackerFixture, "a new group of an old one's name, or at its address, is another entry") {
  ThreadState& thread = *ThreadState::current();
  const auto group = makeGroup("g-again", "first", 2);
  const GroupRef first = groupOf(*group, thread);
  const auto second_group = makeGroup("g-again", "second", 8);
  const GroupRef second = groupOf(*second_group, thread);
  CHECK(second.index != first.index);
  CHECK(second.size == 8);
  group->setGroupName("g-renamed"); // the object at this address is another group now
  CHECK(groupOf(*group, thread).index != first.index);
}

TEST_CASE_FIXTURE(TrackerFixture, "a group made again is another entry, at the old one's address and of its name too") {
  ThreadState& thread = *ThreadState::current();
  const auto group = makeGroup("g-made", "default_pg", 2);
  c10d::register_process_group("g-made", group);
  const GroupRef first = groupMade("g-made", thread);
  CHECK(groupOf(*group, thread).index == first.index);
  const GroupRef second = groupMade("g-made", thread); // as if a new object had the same address
  CHECK(second.index != first.index);
  CHECK(groupOf(*group, thread).index == second.index);
  const auto elsewhere = makeGroup("g-made", "default_pg", 2); // while something keeps the old object alive
  c10d::unregister_process_group("g-made");
  c10d::register_process_group("g-made", elsewhere);
  CHECK(groupMade("g-made", thread).index > second.index);
  CHECK(groupOf(*group, thread).index == second.index);
  c10d::unregister_process_group("g-made");
  CHECK(groupMade("g-made", thread).size == 0);
}

TEST_CASE_FIXTURE(TrackerFixture, "a group made again is another entry for threads that used the old one") {
  const auto group = makeGroup("g-threads", "default_pg", 2);
  c10d::register_process_group("g-threads", group);
  const GroupRef first = groupMade("g-threads", *ThreadState::current());
  std::promise<GroupRef> before;
  std::promise<void> made_again;
  GroupRef after;
  std::thread other([&] {
    ThreadState& thread = *ThreadState::current();
    before.set_value(groupOf(*group, thread));
    made_again.get_future().wait();
    after = groupOf(*group, thread);
  });
  CHECK(before.get_future().get().index == first.index);
  const GroupRef second = groupMade("g-threads", *ThreadState::current());
  made_again.set_value();
  other.join();
  CHECK(after.index == second.index);
  CHECK(second.index != first.index);
  c10d::unregister_process_group("g-threads");
}

TEST_CASE_FIXTURE(TrackerFixture, "a group that has no backend yet, and so no name, is an entry too") {
  const auto group = c10::make_intrusive<c10d::ProcessGroup>(1, 6);
  const GroupRef found = groupOf(*group, *ThreadState::current());
  CHECK(found.size == 6);
  CHECK(report().groups.at(found.index).backend == "undefined");
}

TEST_CASE_FIXTURE(TrackerFixture, "the world has all ranks that the first group states") {
  const auto world_with = [](int64_t in_environment) {
    return runInTrackedChild([in_environment] {
      ProcessLedger::ledger().header().world_size = in_environment;
      constexpr auto kType = c10d::ProcessGroup::BackendType::CUSTOM;
      const auto group = c10::make_intrusive<c10d::ProcessGroup>(0, 2);
      const auto backend = c10::make_intrusive<RankedBackend>(2, std::vector<uint64_t>{1, 3});
      group->setBackend(c10::DeviceType::CPU, kType, backend);
      group->setDefaultBackend(kType);
      groupOf(*group, *ThreadState::current());
      const LedgerHeader& header = ProcessLedger::ledger().header();
      sayLine(std::to_string(header.rank) + " of " + std::to_string(header.world_size));
    });
  };
  CHECK(world_with(1).said == "1 of 4\n");
  CHECK(world_with(4).said == "1 of 4\n");
  CHECK(world_with(8).said == "1 of 8\n");
  CHECK(world_with(-1).said == "1 of -1\n");
}

TEST_CASE_FIXTURE(TrackerFixture, "a name finds the group that has it now") {
  ThreadState& thread = *ThreadState::current();
  CHECK(groupNamed("g-nobody", thread).size == 0);
  const auto group = makeGroup("g-named", "pp", 3);
  c10d::register_process_group("g-named", group);
  CHECK(groupNamed("g-named", thread).index == groupOf(*group, thread).index);
  c10d::unregister_process_group("g-named");
  const auto other = makeGroup("g-named", "pp", 5);
  c10d::register_process_group("g-named", other);
  CHECK(groupNamed("g-named", thread).size == 5);
  c10d::unregister_process_group("g-named");
}

} // namespace
} // namespace commtap
