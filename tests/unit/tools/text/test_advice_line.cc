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

TEST_CASE("an advice to keep what is communicated again says what that takes") {
  Advice advice = {.rule = adviceRules().data(), .group = "", .rows = {}};
  CHECK(adviceMemoryText(advice).empty());
  advice.memory_bytes = 2048;
  CHECK(adviceMemoryText(advice) == "; keeping it takes about 2.00 KiB per rank");
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
