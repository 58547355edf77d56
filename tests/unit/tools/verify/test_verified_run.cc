// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/verified_run.h"

#include <doctest/doctest.h>

#include "tests/unit/programs.h"
#include "tests/unit/verify_samples.h"
#include "tools/verify/layout_text.h"

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

TEST_CASE("a rename that makes one name of two is an error, and one without a use is said") {
  const TempFolder one;
  const TempFolder two;
  for (const TempFolder* folder : {&one, &two}) {
    VerifyJob job(2);
    job.addOnAll("Net.a.w", noise(1));
    job.addOnAll("Net.b.w", noise(2));
    job.gradient("Net.a.w", 3);
    job.gradient("Net.b.w", 4);
    job.step(1);
    job.write(folder->path());
  }
  const auto compared = [&](const LayoutOptions& options) {
    return comparedRuns({{two.path(), {}}, {one.path(), {}}}, options);
  };
  CHECK(
      compared({.renames = {{"Net.b", "Net.a"}}}).error() == "--rename makes one name of Net.a.w and Net.b.w: Net.a.w");
  const Result<LayoutComparison> moved = compared({.renames = {{"Net.b", "Net.c"}, {"Net.b.", "Net.d."}}});
  REQUIRE(moved);
  CHECK(moved->notes == std::vector<std::string>{"--rename Net.b.=Net.d. changes no name"});
  CHECK(layoutText(*moved, Color::none()).find("NOTE: --rename Net.b.=Net.d. changes no name\n") != std::string::npos);
  CHECK(moved->not_compared.size() == 2);
  CHECK(compared({.renames = {{"Net.b", "Model.b"}}})->parameters == 2);
}

TEST_CASE("of a folder with several runs the comparison says which it reads, and takes another one") {
  const TempFolder folder;
  const auto compared = [&](const JobSelection& selection, const JobSelection& like) {
    return comparedRuns({{folder.path(), selection}, {folder.path(), like}}, {});
  };
  writeRun(folder, "old", 0, 1'000'000'000);
  writeRun(folder, "new", 0, 2'000'000'000);
  CHECK(compared({}, {}).error() == "run \"new\" would be compared with itself: choose by --run and --like-run");
  const Result<LayoutComparison> chosen = compared({}, {.run_id = "old"});
  REQUIRE(chosen);
  CHECK(chosen->like_run_id == "old");
  CHECK(
      chosen->notes == std::vector<std::string>{
                           "the newest of the 2 runs in " + folder.path() +
                           ", \"new\", was read: --run and --like-run choose another one"});
  CHECK(compared({.run_id = "new"}, {.run_id = "old"})->notes.empty());
  CHECK(compared({}, {.run_id = "none"}).error().find("no samples of this run") != std::string::npos);
  CHECK(readRunSamples(folder / "x", {}).error().find("is no folder") != std::string::npos);
}

TEST_CASE("of two runs of one layout the first bits that differ are named") {
  const TempFolder one;
  const TempFolder two;
  for (const TempFolder* folder : {&one, &two}) {
    VerifyJob job(2);
    job.addOnAll("Net.w", noise(1));
    job.gradient("Net.w", 2);
    job.step(1);
    if (folder == &two) {
      job.at(1, "Net.w").gradient->front() += 1e-6F;
    }
    job.step(2);
    job.write(folder->path());
  }
  const Result<LayoutComparison> result = comparedRuns({{two.path(), {}}, {one.path(), {}}}, {});
  REQUIRE(result);
  REQUIRE(result->notes.size() == 1);
  CHECK(
      result->notes.front().starts_with("the first bits that differ are in the gradient of Net.w at step 2 on rank 1"));
  CHECK(layoutText(*result, Color::none()).find("NOTE: the first bits that differ are in") != std::string::npos);
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
