// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/work_ends.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "report/base/process.h"
#include "report/json/report_json.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Returns the reports of a whole job of two ranks that were killed between two calls.
std::vector<Report> killedRanks() {
  std::vector<Report> reports = {sampleReport(0), sampleReport(1)};
  for (Report& report : reports) {
    report.job.world_size = 2;
    report.job.host = hostName();
    report.job.pid = 100 + static_cast<uint64_t>(*report.job.rank);
    report.job.exit = ExitKind::kKilled;
    report.nccl.reset();
    for (LastCollective& call : report.last) {
      call.state = LastState::kCompleted;
    }
    for (Group& group : report.groups) {
      group.ranks = {0, 1};
      group.size = 2;
    }
  }
  return reports;
}

/// Returns the exits in the merged report and in the files, once the command has ended with status 0.
std::string exitsAfter(const std::function<void(std::vector<Report>&)>& change) {
  const TempFolder folder;
  std::vector<Report> reports = killedRanks();
  change(reports);
  WorkEnds ends;
  std::string exits;
  for (size_t i = 0; i < reports.size(); ++i) {
    const std::string path = folder / std::to_string(i);
    writeText(path, reportToJson(reports[i]));
    ends.add(reports[i], path);
  }
  JobReport job = jobOf(reports);
  ends.note(job);
  for (size_t i = 0; i < reports.size(); ++i) {
    const Result<Report> written = reportFromJson(readText(folder / std::to_string(i)));
    REQUIRE(written);
    CHECK(written->job.exit == job.processes[i].exit);
    CHECK(written->job.exit_status == job.processes[i].exit_status);
    exits += std::string(exitKindName(written->job.exit)) + " ";
  }
  return exits;
}

TEST_CASE("ranks that were killed after all had completed the same calls have ended their work") {
  CHECK(exitsAfter([](std::vector<Report>& /*reports*/) {}) == "after_work after_work ");
  CHECK(exitsAfter([](std::vector<Report>& reports) {
          reports[0].job.exit = ExitKind::kNormal;
          reports[1].job.argv = {R"("exit":"killed")"};
        }) == "normal after_work ");
}

TEST_CASE("a worker that Ray ended with an error after the same calls has ended its work") {
  const auto exitsOf = [](const char* title, ExitKind exit) {
    return exitsAfter([&](std::vector<Report>& reports) {
      reports[1].job.argv = {title};
      reports[1].job.exit = exit;
      reports[1].job.exit_status = 1;
    });
  };
  CHECK(exitsOf("ray::Actor.train", ExitKind::kUnderscoreExit) == "after_work after_work ");
  CHECK(exitsOf("python", ExitKind::kUnderscoreExit) == "after_work _exit ");
  CHECK(exitsOf("ray::Actor.train", ExitKind::kNormal) == "after_work normal ");
}

TEST_CASE("ranks that were killed at other calls, or in one, were killed") {
  const std::string killed = "killed killed ";
  CHECK(exitsAfter([](std::vector<Report>& reports) { reports[1].last.back().state = LastState::kIssued; }) == killed);
  CHECK(exitsAfter([](std::vector<Report>& reports) { reports[1].collectives.back().count += 1; }) == killed);
  CHECK(exitsAfter([](std::vector<Report>& reports) { reports[0].job.world_size = 3; }) == killed);
  CHECK(exitsAfter([](std::vector<Report>& reports) { reports[0].job.rank.reset(); }) == killed);
  CHECK(
      exitsAfter([](std::vector<Report>& reports) { reports[0].job.exit = ExitKind::kRunning; }) == "running killed ");
  CHECK(exitsAfter([](std::vector<Report>& reports) { reports[0].job.host = "another"; }) == "killed after_work ");
}

} // namespace
} // namespace commtap
