// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/verify_watch.h"

#include <doctest/doctest.h>

#include <memory>

#include "tests/unit/programs.h"
#include "tests/unit/samples.h"
#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

LiveReports liveJob() {
  LiveReports live;
  live.reports.push_back(std::make_shared<Report>(sampleReport(0)));
  return live;
}

/// Writes the samples of two ranks of the sample job, of which rank 1 is overwritten after the first step.
void writeSteps(const TempFolder& folder, uint64_t steps) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  for (ProcessSamples& process : job.processes()) {
    process.job.run_id = sampleReport(0).job.run_id;
    process.job.attempt = sampleReport(0).job.attempt;
  }
  for (uint64_t step = 1; step <= steps; ++step) {
    job.gradient("Net.w", static_cast<uint32_t>(step));
    job.step(step);
    job.at(1, "Net.w").value = noise(7);
  }
  job.write(folder.path());
}

std::string textOf(const VerifyWatch& watch) {
  Exposition exposition;
  watch.addTo(exposition);
  return exposition.text(Dialect::kPrometheus);
}

TEST_CASE("a job whose samples become wrong is reported once, in a line and as a metric") {
  const TempFolder folder;
  VerifyWatch watch(folder.path());
  CHECK(watch.look(liveJob()).empty());
  CHECK(textOf(watch).find("commtap_verify_status") == std::string::npos);
  writeSteps(folder, 1);
  CHECK(watch.look(liveJob()).empty());
  CHECK(textOf(watch).find("status=\"ok\"} 1\n") != std::string::npos);
  writeSteps(folder, 2);
  const std::vector<std::string> lines = watch.look(liveJob());
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("run sample-run attempt 0: WRONG: "));
  CHECK(textOf(watch).find("status=\"wrong\"} 1\n") != std::string::npos);
  CHECK(textOf(watch).find("status=\"ok\"} 0\n") != std::string::npos);
  CHECK(watch.look(liveJob()).empty());
  const Verification* verdict = watch.verdictOf({"sample-run", 0});
  REQUIRE(verdict != nullptr);
  CHECK(verdict->findings.size() == 1);
  CHECK(watch.verdictOf({"sample-run", 1}) == nullptr);
  CHECK(watch.look({}).empty());
  CHECK(watch.verdictOf({"sample-run", 0}) == nullptr);
  CHECK(textOf(watch).find("commtap_verify_status") == std::string::npos);
}

} // namespace
} // namespace commtap
