// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/verified_run.h"

#include <doctest/doctest.h>

#include "tests/unit/programs.h"
#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

/// Writes the samples of a run with two ranks into the folder.
void writeRun(const TempFolder& folder, const std::string& run_id, int64_t attempt, uint64_t started_at_ns) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.step(1);
  for (ProcessSamples& process : job.processes()) {
    process.job.run_id = run_id;
    process.job.attempt = attempt;
    process.job.started_at_ns = started_at_ns;
  }
  job.write(folder.path());
}

TEST_CASE("the last attempt of the newest run is read, unless another one is selected") {
  const TempFolder folder;
  writeRun(folder, "old", 0, 1'000'000'000);
  writeRun(folder, "new", 0, 2'000'000'000);
  writeRun(folder, "new", 1, 3'000'000'000);
  const Result<RunSamples> newest = readRunSamples(folder.path(), {});
  REQUIRE(newest);
  REQUIRE(newest->processes.size() == 2);
  CHECK(newest->processes[0].job.run_id == "new");
  CHECK(newest->processes[0].job.attempt == 1);
  CHECK(newest->processes[0].samples.size() == 1);
  const Result<RunSamples> old = readRunSamples(folder.path(), {.run_id = "old"});
  REQUIRE(old);
  CHECK(old->processes[0].job.run_id == "old");
  CHECK(readRunSamples(folder.path(), {.run_id = "none"}).error().find("no samples of this run") != std::string::npos);
}

TEST_CASE("a folder without samples says how to take them, a damaged file is a problem") {
  const TempFolder folder;
  CHECK(readRunSamples(folder.path(), {}).error().find("COMMTAP_VERIFY=1") != std::string::npos);
  writeText(folder / "x.samples", "no samples");
  CHECK(readRunSamples(folder.path(), {}).error().find("x.samples") != std::string::npos);
  writeRun(folder, "run", 0, 1'000'000'000);
  const Result<RunSamples> run = readRunSamples(folder.path(), {});
  REQUIRE(run);
  CHECK(run->processes.size() == 2);
  CHECK(!run->problems.empty());
}

TEST_CASE("a run is judged in words, and other commands show its first line") {
  const TempFolder folder;
  JobReport report;
  CHECK(verifiedLine(report, folder.path()).empty());
  CHECK_FALSE(verifiedRun(folder.path(), {}));
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.gradient("Net.w", 2);
  job.step(1);
  job.write(folder.path());
  const Result<Verification> result = verifiedRun(folder.path(), {});
  REQUIRE(result);
  CHECK(result->status == VerifyStatus::kOk);
  CHECK(result->line.starts_with("OK: 1 parameter has replicas"));
  report.run_id = job.processes().front().job.run_id;
  const std::string line = verifiedLine(report, folder.path());
  CHECK(line.starts_with("verify: OK: 1 parameter"));
  CHECK(line.ends_with(": commtap verify " + folder.path() + "\n"));
  report.run_id = "another";
  CHECK(verifiedLine(report, folder.path()).empty());
}

} // namespace

} // namespace commtap
