// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/advice_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

/// Returns the advice that the first two rows of a job prove.
std::vector<Advice> adviceOf(const JobReport& job) {
  return {{&adviceRules()[1], "tp", 50, 2048, {&job.collectives[0], &job.collectives[1]}}};
}

TEST_CASE("advice is a paragraph with its rows, or says that there is none") {
  const JobReport job = sampleJob();
  const std::string text = adviceText(adviceOf(job), job, Color::none());
  CHECK(has(text, "small_collectives: 50 calls and 2.00 KiB per rank and"));
  CHECK(has(text, std::string(adviceRules()[1].text)));
  CHECK(has(text, std::string(kindName(job.collectives[0].kind)) + " in " + job.collectives[0].module));
  CHECK(has(adviceText({}, job, Color::none()), "no advice"));
}

TEST_CASE("only bytes are at stake if no call is, and a row has its label and the module that issues it") {
  JobReport job = sampleJob();
  job.collectives[0].label = "full_tensor";
  job.collectives[0].issued_in = "Prefetching";
  std::vector<Advice> advice = adviceOf(job);
  advice[0].calls = 0;
  const std::string text = adviceText(advice, job, Color::none());
  CHECK(has(text, "small_collectives: 2.00 KiB per rank and"));
  CHECK(has(text, " [full_tensor] ("));
  CHECK(has(text, ", issued in Prefetching): "));
  const auto row = nlohmann::json::parse(adviceJson(advice, job))["advice"][0]["rows"][0];
  CHECK(row["label"] == "full_tensor");
  CHECK(row["issued_in"] == "Prefetching");
}

TEST_CASE("a row of advice says its label") {
  JobReport job = sampleJob();
  CHECK(nlohmann::json::parse(adviceJson(adviceOf(job), job))["advice"][0]["rows"][0]["label"].is_null());
  job.collectives[0].label = "barrier";
  job.collectives[1].setup = true;
  const std::string module = job.collectives[0].module;
  CHECK(has(adviceText(adviceOf(job), job, Color::none()), " in " + module + " [barrier] ("));
  CHECK(nlohmann::json::parse(adviceJson(adviceOf(job), job))["advice"][0]["rows"][0]["label"] == "barrier");
  CHECK(nlohmann::json::parse(adviceJson(adviceOf(job), job))["advice"][0]["rows"][1]["setup"] == true);
}

TEST_CASE("rows beyond the first five are counted") {
  const JobReport job = sampleJob();
  std::vector<Advice> advice = adviceOf(job);
  advice[0].rows.resize(9, &job.collectives[0]);
  CHECK(has(adviceText(advice, job, Color::none()), "and 4 more rows: --json"));
}

TEST_CASE("the JSON document has every row") {
  const JobReport job = sampleJob();
  const auto document = nlohmann::json::parse(adviceJson(adviceOf(job), job));
  CHECK(document["schema"] == "commtap.advise/1");
  CHECK(document["run"]["planned"] == false);
  REQUIRE(document["advice"].size() == 1);
  CHECK(document["advice"][0]["rule"] == "small_collectives");
  CHECK(document["advice"][0]["bytes_per_step"] == 2048);
  CHECK(document["advice"][0]["rows"].size() == 2);
  CHECK(document["advice"][0]["rows"][1]["module"] == job.collectives[1].module);
}

} // namespace
} // namespace commtap
