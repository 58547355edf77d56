// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/advice_line.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("the share of an advice is that of its rows, without set-up") {
  JobReport job = sampleJob();
  job.collectives.resize(2);
  job.collectives[0].amount.bytes.sum = 300;
  job.collectives[1].amount.bytes.sum = 100;
  job.collectives[1].setup = false;
  Advice advice = {.rule = adviceRules().data(), .group = "", .rows = {&job.collectives[0]}};
  job.collectives[0].setup = false;
  CHECK(adviceShareText(advice, job) == "; its rows have 75.0 % of the bytes");
  job.collectives[0].setup = true;
  CHECK(adviceShareText(advice, job).empty());
  advice.rows.push_back(&job.collectives[1]);
  CHECK(adviceShareText(advice, job) == "; its rows have 100.0 % of the bytes");
}

TEST_CASE("what is kept instead of communicated is held once, however many passes a step has") {
  JobReport job = sampleJob();
  job.steps.resize(2);
  for (size_t i = 0; i < job.steps.size(); ++i) {
    job.steps[i].first_step = i;
    job.steps[i].steps = 1;
    job.steps[i].timed_ranks = 1;
    job.steps[i].backward_passes = 4; // gradient accumulation
  }
  Advice advice = {.rule = &adviceRules()[static_cast<size_t>(AdviceRule::kGatheredTwice)], .group = "", .rows = {}};
  advice.bytes = 8192;
  CHECK(adviceMemoryText(advice, job) == "; keeping it takes about 2.00 KiB per rank");
  advice.rule = &adviceRules()[static_cast<size_t>(AdviceRule::kBarrier)];
  CHECK(adviceMemoryText(advice, job).empty());
  advice.rule = &adviceRules()[static_cast<size_t>(AdviceRule::kGatheredTwiceFsdp1)];
  job.steps[0].backward_passes = job.steps[1].backward_passes = std::nullopt;
  CHECK(adviceMemoryText(advice, job).empty());
}

TEST_CASE("the line names the first rule, how many more there are, and the command with the path as a word") {
  CHECK(adviceLine({}, "", "out").empty());
  const Advice first = {.rule = adviceRules().data(), .group = "", .rows = {}};
  CHECK(adviceLine({first}, "", "out") == "advice: " + std::string(first.rule->name) + ": commtap advise out\n");
  CHECK(
      adviceLine({first, first, first}, " (4 B)", "my out") ==
      "advice: " + std::string(first.rule->name) + " (4 B) and 2 more: commtap advise 'my out'\n");
}

} // namespace
} // namespace commtap
