// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/budget_names.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

/// Returns a job whose root has the user's class, as in commtap/2.
JobReport renamedJob() {
  JobReport job = sampleJob();
  const auto rename = [](std::string& name) {
    const std::string old_root = "DistributedDataParallel";
    if (name.starts_with(old_root)) {
      name = "Net" + name.substr(old_root.size());
    }
  };
  for (JobModule& module : job.modules) {
    rename(module.name);
    if (module.name == "Net") {
      module.wrappers = {"DistributedDataParallel"};
    }
  }
  for (JobCollective& row : job.collectives) {
    rename(row.module);
  }
  return job;
}

std::string whyNot(const std::string& module, const JobReport& job, std::optional<Kind> kind = {}, double count = 1) {
  const CellPattern pattern{.module = module, .phase = Phase::kOther, .kind = kind};
  return whyUnmatched({.pattern = pattern, .count = count}, job, cellsOf(job));
}

TEST_CASE("a pattern whose module exists may match nothing") {
  CHECK(whyNot("Net.*", renamedJob()).empty());
  CHECK(whyNot("**", renamedJob()).empty());
}

TEST_CASE("a pattern with an old root names the likely new one") {
  const JobReport job = renamedJob();
  CHECK(
      whyNot("DistributedDataParallel.net*", job) ==
      "no module is named DistributedDataParallel.net*; most likely it is Net.net* now");
  CHECK(whyNot("FSDPNet", job) == "no module is named FSDPNet; most likely it is Net now");
  CHECK(whyNot("Other.attention", job) == "no module is named Other.attention");
}

TEST_CASE("a pattern for sends in their old phase names the new one") {
  JobReport job = renamedJob();
  for (JobCollective& row : job.collectives) {
    row.kind = Kind::kSend;
    row.phase = Phase::kForward;
  }
  CHECK(
      whyNot("Global", job, Kind::kSend) ==
      "there is no send in Global in this phase; it is in Global (forward) and elsewhere now");
  CHECK(whyNot("Global", job, Kind::kRecv).empty());
  CHECK(whyNot("Global", job, Kind::kSend, 0).empty()); // no sends in this phase: what the entry wants
}

} // namespace
} // namespace commtap
