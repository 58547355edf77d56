// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/job_look.h"

#include <doctest/doctest.h>

#include "report/base/process.h"
#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a look has the processes of all paths, each once, and names what cannot be read") {
  const TempFolder folder;
  const TempFolder other;
  for (const int64_t rank : {0, 1, 2}) {
    writeText(folder / ("rank" + std::to_string(rank) + ".json"), reportToJson(sampleReport(rank)));
  }
  writeText(other / "copy.json", reportToJson(sampleReport(2)));
  writeText(other / "rank3.json", reportToJson(sampleReport(3)));
  const JobLook look = lookAt({folder.path(), other.path(), folder / "nowhere"});
  CHECK(look.processes.size() == 4);
  REQUIRE(look.problems.size() == 1);
  CHECK(has(look.problems[0], "nowhere"));
  CHECK(look.at_ns > 0);
}

TEST_CASE("a process of this machine that writes its ledger has a state; a report's process has none") {
  const TempFolder folder;
  const auto ledger = sampleLedger(1);
  ledger->header().boot_id = ledger->intern(bootId());
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  ledger->header().pid = static_cast<uint64_t>(getpid());
  ledger->header().pid_start_ticks = processStartTicks(static_cast<uint64_t>(getpid())).value_or(0);
  REQUIRE(ledger->publish(folder / "rank1.ledger"));
  writeText(folder / "rank0.json", reportToJson(sampleReport(0)));
  const JobLook look = lookAt({folder.path()});
  REQUIRE(look.processes.size() == 2);
  for (const SeenProcess& process : look.processes) {
    CHECK(process.sample.has_value() == (process.report->job.rank == 1));
  }
}

TEST_CASE("progress is remembered from look to look") {
  const auto report = std::make_shared<Report>(sampleReport(0));
  const auto later = std::make_shared<Report>(*report);
  later->modules.front().calls[0] += 1;
  const std::vector<std::shared_ptr<const Report>> before = {report};
  const std::vector<std::shared_ptr<const Report>> after = {later};
  JobLook first = lookOf(before, 100);
  JobLook second = lookOf(after, 200);
  JobLook third = lookOf(after, 300);
  noteProgress(earlier(first), second);
  noteProgress(earlier(second), third);
  CHECK(first.moved_ns.empty());
  CHECK(second.moved_ns.at(later->job.run_id) == 200);
  CHECK(third.moved_ns.at(later->job.run_id) == 200);
}

} // namespace
} // namespace commtap
