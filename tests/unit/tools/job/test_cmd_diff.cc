// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/cmd_diff.h"

#include <doctest/doctest.h>

#include "report/job/job_report_json.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

class ComparedJobs : public TempFolder {
 public:
  ComparedJobs() {
    writeText(before(), jobReportToJson(sampleJob()));
    writeText(after(), jobReportToJson(grownJob()));
  }
  std::string before() const {
    return *this / "before.json";
  }
  std::string after() const {
    return *this / "after.json";
  }
};

TEST_CASE("diff exits with 1 if there is a difference") {
  const ComparedJobs jobs;
  CHECK(runCommtap({"diff", jobs.before(), jobs.before()}).status() == 0);
  CHECK(runCommtap({"diff", jobs.before(), jobs.after()}).status() == 1);
  CHECK(runCommtap({"diff", jobs.before(), jobs.after(), "--tolerance", "count=1,bytes=50%"}).status() == 0);
}

TEST_CASE("diff compares wrapped modules by the names that --rename gives them") {
  const ComparedJobs jobs;
  JobReport job = sampleJob();
  for (JobCollective& row : job.collectives) {
    row.module = row.module == "Global" ? row.module : "Lora." + row.module + ".base_layer";
  }
  const std::string lora = jobs / "lora.json";
  writeText(lora, jobReportToJson(job));
  CHECK(runCommtap({"diff", jobs.before(), lora}).status() == 1);
  CHECK(runCommtap({"diff", jobs.before(), lora, "--rename", "Lora=", "--rename", "base_layer="}).status() == 0);
  const Words check = {"check", lora, "--baseline", jobs.before(), "--rename", "Lora=", "--rename", "base_layer="};
  CHECK(runCommtap(check).status() == 0);
}

TEST_CASE("diff has the formats text, markdown and json") {
  const ComparedJobs jobs;
  CHECK(runCommtap({"diff", jobs.before(), jobs.after(), "--format", "json"})
            .out.starts_with("{\n \"schema\": \"commtap.diff/1\""));
  CHECK(runCommtap({"diff", jobs.before(), jobs.after(), "--format", "markdown"}).out.starts_with("### commtap"));
}

TEST_CASE("diff reports wrong usage in one line and exits with 2") {
  const ComparedJobs jobs;
  for (const Words& arguments :
       {Words{"diff"},
        {"diff", jobs.before()},
        {"diff", jobs.before(), jobs / "none"},
        {"diff", jobs.before(), jobs.after(), "x"},
        {"diff", jobs.before(), jobs.after(), "--tolerance", "x"},
        {"diff", jobs.before(), jobs.after(), "--rename", "x"},
        {"diff", jobs.before(), jobs.after(), "--since", "1h"},
        {"diff", jobs.path(), "--since", "x"}}) {
    const Outcome outcome = runCommtap(arguments);
    CHECK(outcome.status() == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find("commtap: ") == 0);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

} // namespace
} // namespace commtap
