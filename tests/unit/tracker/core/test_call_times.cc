// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/thread_state.h"

#include <doctest/doctest.h>

#include "tests/unit/issued_call.h"

namespace commtap {
namespace {

TEST_CASE_FIXTURE(TrackerFixture, "durations go to the row of the call, its payload with how long it ran") {
  const OpFrame call = issuedCall("test.durations", 64);
  countDuration(call, DurationKind::kQueued, 10);
  countDuration(call, DurationKind::kRunning, 300);
  const std::vector<Collective> found = rows("test.durations");
  REQUIRE(found.size() == 1);
  CHECK(found[0].time.of(DurationKind::kQueued).sum_ns == 10);
  CHECK(found[0].time.of(DurationKind::kRunning).sum_ns == 300);
  CHECK(found[0].time.bytes == 64);
}

TEST_CASE_FIXTURE(TrackerFixture, "exposed time goes to the row of the call and to the module that stood still") {
  const OpFrame call = issuedCall("test.exposed", 64);
  countExposed(call, {kGlobalModule, Phase::kBackward}, 40);
  countExposed(call, {kGlobalModule, Phase::kForward}, 2);
  const CollectiveTime time = rows("test.exposed").at(0).time;
  CHECK(time.of(DurationKind::kExposed).sum_ns == 42);
  CHECK((time.stalled_in == Stalls{{{"Global", Phase::kForward}, {1, 2}}, {{"Global", Phase::kBackward}, {1, 40}}}));
}

TEST_CASE_FIXTURE(TrackerFixture, "a call that left the ring of last collectives does not change its successor") {
  OpFrame call = issuedCall("test.states", 8);
  noteStarted(call, 20);
  noteCompleted(call, true, 30);
  CHECK(call.last->started_at_ns == 20);
  CHECK(call.last->completed_at_ns == 30);
  CHECK(call.last->state == static_cast<uint32_t>(LastState::kCompleted));

  ++call.number; // as if another collective had taken the slot
  noteStarted(call, 40);
  noteCompleted(call, false, 50);
  CHECK(call.last->started_at_ns == 20);
  CHECK(call.last->completed_at_ns == 30);
  CHECK(call.last->state == static_cast<uint32_t>(LastState::kCompleted));
}

} // namespace
} // namespace commtap
