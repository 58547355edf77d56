// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/diff_summary.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/unit/job_samples.h"
#include "tests/unit/step_samples.h"

namespace commtap {
namespace {

using Calls = std::map<std::string, uint64_t>;

JobReport jobOfEqualSteps(size_t steps, const Calls& calls) {
  return jobOfSteps(std::vector<Calls>(steps, calls));
}

std::string summary(const JobReport& before, const JobReport& after) {
  return diffSummary(diffOf(before, after, {}, comparedSteps(before, after)));
}

/// Returns the summary of two runs of 4 and 10 steps.
std::string longerRun(const Calls& before, const Calls& after) {
  return summary(jobOfEqualSteps(4, before), jobOfEqualSteps(10, after));
}

TEST_CASE("the summary says how much more is communicated, and where") {
  CHECK(
      longerRun({{"Net", 24}}, {{"Net", 27}}) ==
      "communicates 12.5 % more bytes per rank and step (192 B to 216 B), 3 more calls (24 to 27): all_gather in Net "
      "(forward, default_pg)");
  CHECK(
      longerRun({{"Net", 24}, {"Other", 1}}, {{"Net", 21}, {"Other", 2}}) ==
      "communicates 8.0 % fewer bytes per rank and step (200 B to 184 B), 2 fewer calls (25 to 23); the largest growth "
      "is "
      "all_gather in Other (forward, default_pg), the largest decrease all_gather in Net (forward, default_pg)");
  CHECK(longerRun({{"Net", 24}}, {{"Net", 24}}) == "no differences");
}

TEST_CASE("the summary says mostly only of a change that is half of what changed") {
  CHECK(longerRun({{"A", 1}, {"B", 1}}, {{"A", 9}, {"B", 3}})
            .ends_with("): mostly all_gather in A (forward, default_pg)"));
  CHECK(longerRun({{"A", 1}, {"B", 1}, {"C", 1}}, {{"A", 5}, {"B", 4}, {"C", 4}})
            .ends_with("; the largest part is all_gather in A (forward, default_pg)"));
}

TEST_CASE("the summary of calls that moved says that there are as many") {
  CHECK(
      longerRun({{"A", 4}}, {{"B", 4}}) ==
      "communicates as much per rank and step (32 B in 4 calls); the largest growth is all_gather in B (forward, "
      "default_pg), the largest decrease all_gather in A (forward, default_pg)");
}

TEST_CASE("rows that only moved are not where the growth is") {
  CHECK(
      longerRun({{"A", 4}, {"C", 2}}, {{"B", 4}, {"C", 5}}) ==
      "communicates 50.0 % more bytes per rank and step (48 B to 72 B), 3 more calls (6 to 9): all_gather in C "
      "(forward, "
      "default_pg)");
  CHECK(
      longerRun({{"A", 4}, {"C", 2}}, {{"B", 5}, {"C", 4}}).find("the largest growth is all_gather in B") !=
      std::string::npos);
}

TEST_CASE("another dtype is a difference, with equal bytes and with others") {
  const auto in = [](const char* dtype, uint64_t calls) {
    JobReport job = jobOfEqualSteps(4, {{"A", calls}});
    job.collectives.front().dtype = dtype;
    return job;
  };
  const std::string other = "bfloat16 before, float16 after: all_gather in A (forward, default_pg); 1 of 1 row";
  CHECK(summary(in("bfloat16", 1), in("float16", 1)) == "the same calls and bytes, in other dtypes: " + other);
  CHECK(summary(in("bfloat16", 1), in("float16", 2)).ends_with("all_gather in A (forward, default_pg); " + other));
  CHECK(summary(in("bfloat16", 1), in("bfloat16", 1)) == "no differences");
}

TEST_CASE("the summary says that only set-up differs") {
  JobReport before = jobOfEqualSteps(4, {{"A", 1}, {"B", 1}});
  JobReport after = jobOfEqualSteps(4, {{"A", 1}, {"B", 2}});
  for (JobReport* const job : {&before, &after}) {
    for (JobCollective& row : job->collectives) {
      row.setup = row.module == "B";
    }
  }
  CHECK(
      summary(before, after) ==
      "communicates as much per rank and step (8 B in 1 call); in set-up 100 % more bytes per rank (32 B to 64 B), 4 "
      "more "
      "calls (4 to 8): all_gather in B (set-up) (forward, default_pg)");
}

TEST_CASE("the summary of runs without steps is per run") {
  CHECK(diffSummary(diffOf(sampleJob(), sampleJob(), {})) == "no differences");
  const JobReport before = sampleJob();
  const JobReport after = grownJob();
  CHECK(diffSummary(diffOf(before, after, {})).find(" more bytes per rank and run (") != std::string::npos);
}

} // namespace
} // namespace commtap
