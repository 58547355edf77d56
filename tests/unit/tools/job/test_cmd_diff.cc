// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
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
  CHECK(runCommtap({"diff", jobs.before(), jobs.after(), "--json"}).out.starts_with("{\"schema\":\"commtap.diff/1\","));
  CHECK(runCommtap({"diff", jobs.before(), jobs.after(), "--format", "markdown"}).out.starts_with("### commtap"));
}

void putRun(const TempFolder& folder, const std::string& run, const std::string& name, uint64_t started_at_ns) {
  Report report = sampleReport(0);
  report.job.run_id = run;
  report.job.name = name;
  report.job.started_at_ns = started_at_ns;
  writeText(folder / (run + ".json"), reportToJson(report));
}

TEST_CASE("diff, check and advise take runs of one folder by id, a part of it, or name, and show the name") {
  const TempFolder folder;
  putRun(folder, "run-1-a", "narrow", 1'000'000'000);
  putRun(folder, "run-2-b", "wide", 2'000'000'000);
  putRun(folder, "run-3-c", "", 3'000'000'000);
  const Outcome named = runCommtap({"diff", folder.path(), "--run", "wide", "--run", "1-a"});
  CHECK(named.status() == 0);
  CHECK(has(named.out, "run run-2-b (wide), started"));
  CHECK(has(named.out, "run run-1-a (narrow), started"));
  const Outcome newest = runCommtap({"diff", folder.path(), "--run", "narrow"});
  CHECK(has(newest.out, "before "));
  CHECK(has(newest.out, "run run-3-c, started"));
  const Outcome several = runCommtap({"diff", folder.path(), "--run", "run"});
  CHECK(several.status() == 2);
  CHECK(
      has(several.err,
          ": several runs match \"run\": \"run-3-c\", \"run-2-b\" (wide), \"run-1-a\" (narrow): give more of the "
          "id\n"));
  CHECK(runCommtap({"diff", folder.path(), "--run", "a", "--run", "b", "--run", "c"}).status() == 2);
  CHECK(runCommtap({"diff", folder.path(), "--run", "wide", "--since", "1h"}).status() == 2);
  CHECK(
      nlohmann::json::parse(runCommtap({"check", folder.path(), "--run", "wide", "--json"}).out)["job"]["run_id"] ==
      "run-2-b");
  const Outcome advice = runCommtap({"advise", folder.path(), "--run", "narrow", "--json"});
  CHECK(nlohmann::json::parse(advice.out)["run"]["run_id"] == "run-1-a");
  CHECK(runCommtap({"advise", folder.path(), "--run", "none"}).status() == 2);
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
