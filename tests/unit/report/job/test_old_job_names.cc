// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/old_job_names.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("every table of an old job report gets the names of today") {
  JobReport job = ncclJob();
  Disagreement disagreement;
  disagreement.module = "DistributedDataParallel.net1";
  disagreement.values.resize(1);
  disagreement.values[0].call = Disagreement::Call{"DistributedDataParallel", "op", Kind::kAllReduce, ""};
  job.disagreements = {disagreement};
  TimeTotals times;
  times.module = "DistributedDataParallel.net2";
  job.module_times = {times};
  upgradeNames(job);
  CHECK(job.has_old_reports);
  CHECK(job.renamed == std::map<std::string, std::string>{{"DistributedDataParallel", "MLP"}});
  const auto isOld = [](const std::string& name) { return name.starts_with("DistributedDataParallel"); };
  for (const JobModule& module : job.modules) {
    CHECK_FALSE(isOld(module.name));
  }
  for (const JobCollective& row : job.collectives) {
    CHECK_FALSE(isOld(row.module));
    CHECK_FALSE(isOld(row.issued_in));
  }
  for (const JobNcclCall& call : job.nccl->calls) {
    CHECK_FALSE(isOld(call.module));
  }
  CHECK(job.disagreements[0].module == "MLP.net1");
  CHECK(job.disagreements[0].values[0].call->module == "MLP");
  CHECK(job.module_times[0].module == "MLP.net2");
}

TEST_CASE("a job whose roots are the user's classes keeps their names") {
  JobReport job;
  job.modules.resize(2);
  job.modules[0].name = "Global";
  job.modules[1].name = job.modules[1].class_name = "Net";
  upgradeNames(job);
  CHECK(job.renamed.empty());
  CHECK(job.modules[1].name == "Net");
}

} // namespace
} // namespace commtap
