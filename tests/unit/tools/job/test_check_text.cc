// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/check_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

const JobReport& grown() {
  static const JobReport job = grownJob();
  return job;
}

std::vector<Check> failedChecks() {
  const JobReport before = sampleJob();
  return checkBaseline(before, grown(), compareJobs(before, grown(), {}, {}), {});
}

TEST_CASE("check text lists the failed checks and their number") {
  const std::string text = checkText(failedChecks(), {}, grown(), Color::none());
  CHECK(
      text.starts_with("FAILED all_gather on default_pg differs from the baseline\n  +1 all_gather per run in "
                       "DistributedDataParallel.net1"));
  CHECK(text.ends_with("\n1 of 3 checks failed: commtap diff says more\n"));
  CHECK(checkText(checkJob(grown(), {}), {}, grown(), Color::none()) == "all 6 checks passed\n");
}

TEST_CASE("check Markdown lists the failed checks") {
  const std::string text = checkMarkdown(failedChecks(), {}, grown());
  CHECK(
      text.starts_with("### commtap: 1 of 3 checks failed: commtap diff says more\n\n**all\\_gather on default\\_pg "
                       "differs from the baseline**\n\n- +1"));
}

TEST_CASE("check JUnit has one test case per check, with its failure") {
  const std::string text = checkJunit(failedChecks(), grown());
  CHECK(text.find("<testsuites tests=\"3\" failures=\"1\">") != std::string::npos);
  CHECK(text.find("name=\"all_reduce on default_pg equals the baseline\"/>") != std::string::npos);
  CHECK(text.find("<failure message=\"+1 all_gather per run in DistributedDataParallel.net1") != std::string::npos);
}

TEST_CASE("check for GitHub has an error per failed check and a notice with the verdict") {
  const std::string text = checkGithub(failedChecks(), {"5 % more"}, grown());
  CHECK(text.starts_with(
      "::warning title=commtap check::5 %25 more\n"
      "::error title=commtap%3A all_gather on default_pg differs from the baseline::+1 all_gather per run in "
      "DistributedDataParallel.net1"));
  CHECK(text.ends_with("\n::notice title=commtap check::1 of 3 checks failed: commtap diff says more\n"));
  CHECK(checkGithub(checkJob(grown(), {}), {}, grown()) == "::notice title=commtap check::all 6 checks passed\n");
}

TEST_CASE("check JSON has all findings") {
  const auto document = nlohmann::json::parse(checkJson(failedChecks(), {}, grown()));
  CHECK(document["schema"] == "commtap.check/1");
  CHECK(document["passed"] == false);
  CHECK(document["checks"][0]["findings"][0]["what"] == "more");
  CHECK(document["checks"][0]["findings"][0]["module"] == "DistributedDataParallel.net1");
  CHECK(document["checks"][1]["passed"] == true);
}

TEST_CASE("notes come first, except in JUnit") {
  CHECK(checkText(failedChecks(), {"a\x1b"}, grown(), Color::none()).starts_with("note: a\\x1b\nFAILED "));
  CHECK(checkMarkdown(failedChecks(), {"a", "b"}, grown())
            .starts_with(
                "### commtap: 1 of 3 checks failed: commtap diff says more\n\n- **note:** a\n- **note:** b\n\n**"));
  CHECK(nlohmann::json::parse(checkJson(failedChecks(), {"a"}, grown()))["notes"].size() == 1);
}

TEST_CASE("long lists of findings are cut, and the rest is counted") {
  std::vector<Check> checks(1);
  Finding finding;
  finding.what = Finding::What::kUnreadable;
  finding.problem = "x";
  checks[0].findings.assign(30, finding);
  checks[0].left_out = 5;
  CHECK(checkText(checks, {}, grown(), Color::none()).find("  and 15 more\n") != std::string::npos);
}

} // namespace
} // namespace commtap
