// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/incident.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

Verdict verdictWith(HangStatus status, HangReason reason, RankRanges cause) {
  Verdict verdict;
  verdict.status = status;
  verdict.reason = reason;
  verdict.cause = std::move(cause);
  verdict.ranks.emplace_back().state = RankState::kWaits;
  return verdict;
}

TEST_CASE("a hang is new once, until the job has gone on or another hang takes its place") {
  Incidents incidents;
  Verdict healthy = verdictWith(HangStatus::kHealthy, HangReason::kNone, {});
  Verdict stuck = verdictWith(HangStatus::kStuck, HangReason::kBlocked, {{1, 1}});
  Verdict other = verdictWith(HangStatus::kStuck, HangReason::kKilled, {{1, 1}});
  Verdict unknown = verdictWith(HangStatus::kUnknown, HangReason::kQuiet, {});
  CHECK_FALSE(incidents.isNew(healthy));
  CHECK(incidents.isNew(stuck));
  CHECK_FALSE(incidents.isNew(stuck));
  CHECK_FALSE(incidents.isNew(unknown));
  CHECK_FALSE(incidents.isNew(stuck));
  CHECK(incidents.isNew(other));
  CHECK_FALSE(incidents.isNew(healthy));
  CHECK(incidents.isNew(other));
  Verdict ended = stuck;
  ended.ranks[0].state = RankState::kEnded;
  CHECK_FALSE(incidents.isNew(ended));
  ended.ranks[0].state = RankState::kKilled;
  CHECK_FALSE(incidents.isNew(ended));
  CHECK(Incidents().isNew(ended));
}

TEST_CASE("a hang that gets worse is reported again, with the earlier status") {
  Incidents incidents;
  Verdict verdict = verdictWith(HangStatus::kWrong, HangReason::kSkipped, {{1, 1}});
  CHECK(incidents.isNew(verdict));
  CHECK_FALSE(verdict.earlier_status);
  verdict.status = HangStatus::kStuck;
  CHECK(incidents.isNew(verdict));
  CHECK(verdict.earlier_status == HangStatus::kWrong);
  verdict.status = HangStatus::kWrong;
  CHECK_FALSE(incidents.isNew(verdict));
  verdict.status = HangStatus::kStuck;
  CHECK_FALSE(incidents.isNew(verdict));
  verdict.cause = {{0, 0}};
  CHECK(incidents.isNew(verdict));
  CHECK_FALSE(verdict.earlier_status);
}

TEST_CASE("the command gets the JSON of the verdict; a failure is a line") {
  const TempFolder folder;
  const Verdict verdict = verdictWith(HangStatus::kStuck, HangReason::kCycle, {{0, 1}});
  CHECK(notify({"cat >" + (folder / "told"), ""}, verdict).empty());
  CHECK(nlohmann::json::parse(readText(folder / "told"))["reason"] == "cycle");
  const std::vector<std::string> problems = notify({"exit 4", "http://127.0.0.1:1/hook"}, verdict);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0] == "--exec exit 4: ended with status 4");
  CHECK(has(problems[1], "--webhook http://127.0.0.1:1/hook: "));
}

} // namespace
} // namespace commtap
