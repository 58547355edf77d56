// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_scan.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Positions = std::vector<size_t>;
using Lines = std::vector<std::string>;

/// Returns the job of a process; `pid` makes it another one's.
Job jobWith(uint64_t pid, bool has_ended = true) {
  Job job = sampleReport(0).job;
  job.pid = pid;
  job.ended_at_ns = has_ended ? std::optional<uint64_t>(5) : std::nullopt;
  return job;
}

TEST_CASE("the calls of a report are those of its rows, at most the largest number") {
  Report report = sampleReport(0);
  CHECK(callsOf(report) == 4);
  report.collectives[0].count = report.collectives[1].count = ~uint64_t{0};
  CHECK(callsOf(report) == ~uint64_t{0});
  CHECK(callsOf({}) == 0);
}

TEST_CASE("each process is counted once: a report before a ledger, and one that has ended before one that has not") {
  const Job ended = jobWith(7);
  const Job running = jobWith(7, false);
  const Job other = jobWith(8);
  Lines copies;
  CHECK(
      oneFilePerProcess(
          {{"out/a.ledger", &ended, true, 9},
           {"out/b.json", &running},
           {"out/c.json", &ended},
           {"out/other.ledger", &other, true, 1}},
          copies) == Positions{2, 3});
  CHECK(copies == Lines{"out/b.json holds the same process as out/c.json, which is counted"});
}

TEST_CASE("a ledger in another folder than its report's is a copy") {
  const Job job = jobWith(7);
  Lines copies;
  CHECK(oneFilePerProcess({{"out/copy/a.ledger", &job, true, 9}, {"out/a.json", &job}}, copies) == Positions{1});
  CHECK(copies == Lines{"out/copy/a.ledger holds the same process as out/a.json, which is counted"});
}

TEST_CASE("of equal files the one with most calls is counted, then the one in the highest folder, then by name") {
  const Job job = jobWith(7);
  Lines copies;
  CHECK(oneFilePerProcess({{"a.ledger", &job, true, 3}, {"x/b.ledger", &job, true, 4}}, copies) == Positions{1});
  CHECK(oneFilePerProcess({{"x/a.json", &job}, {"b.json", &job}}, copies) == Positions{1});
  CHECK(oneFilePerProcess({{"b.json", &job}, {"a.json", &job}}, copies) == Positions{1});
  CHECK(copies.size() == 3);
}

} // namespace
} // namespace commtap
