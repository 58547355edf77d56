// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/step_watch.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

/// A rank whose steps take a second each, and communicate `bytes_of(step)`.
template <typename BytesOf>
std::shared_ptr<const Report> rankWith(int64_t rank, uint64_t steps, BytesOf bytes_of) {
  auto report = std::make_shared<Report>(sampleReport(rank));
  report->steps.clear();
  for (uint64_t i = 0; i < steps; ++i) {
    Step step{.first_step = i, .started_at_ns = i * kNsPerSecond, .ended_at_ns = (i + 1) * kNsPerSecond};
    step.collectives.push_back({.kind = Kind::kAllReduce, .group = "0", .count = 4, .bytes = bytes_of(i)});
    report->steps.push_back(std::move(step));
  }
  report->steps.push_back({.first_step = steps, .started_at_ns = steps * kNsPerSecond}); // runs
  return report;
}

uint64_t moreFromStep40(uint64_t step) {
  return step < 40 ? 1000 : 1300;
}

using Reports = std::vector<std::shared_ptr<const Report>>;

TEST_CASE("a change is reported once, with its step, by every rank that made it") {
  StepWatch watch;
  CHECK(watch.look(Reports{rankWith(0, 30, moreFromStep40), rankWith(1, 30, moreFromStep40)}).empty());
  CHECK(watch.look(Reports{rankWith(0, 45, moreFromStep40), rankWith(1, 44, moreFromStep40)}).empty());
  const auto found = watch.look(Reports{rankWith(0, 60, moreFromStep40), rankWith(1, 60, moreFromStep40)});
  REQUIRE(found.size() == 2);
  CHECK(found[0].what == StepValue::kBytes);
  CHECK(found[0].step == 40);
  CHECK(found[0].before == 1000);
  CHECK(found[0].after == 1300);
  const std::vector<std::string> lines = stepChangeLines(found);
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], "from step 40 on, bytes per step went from 1000 B to 1.27 KiB (rank 0 and 1 more)"));
  CHECK(watch.look(Reports{rankWith(0, 90, moreFromStep40), rankWith(1, 90, moreFromStep40)}).empty());
  REQUIRE(watch.changes().size() == 6); // two ranks, three values
  for (const StepChanges& changes : watch.changes()) {
    CHECK(changes.count == (changes.last.what == StepValue::kBytes ? 1 : 0));
    CHECK(changes.last.run_id == sampleReport(0).job.run_id);
  }
}

TEST_CASE("a process without a report is forgotten") {
  StepWatch watch;
  CHECK(watch.look(Reports{rankWith(0, 60, moreFromStep40)}).size() == 1);
  CHECK(watch.look(Reports{}).empty());
  CHECK(watch.changes().empty());
}

TEST_CASE("steps that the ledger has summed are looked at once") {
  StepWatch watch;
  const auto same = [](uint64_t) { return uint64_t{1000}; };
  CHECK(watch.look(Reports{rankWith(0, 31, same)}).empty());
  auto summed = std::make_shared<Report>(*rankWith(0, 0, same));
  summed->steps.clear();
  for (uint64_t i = 0; i < 100; i += 2) {
    Step step{.first_step = i, .steps = 2, .started_at_ns = i * kNsPerSecond, .ended_at_ns = (i + 2) * kNsPerSecond};
    step.collectives.push_back({.kind = Kind::kAllReduce, .group = "0", .count = 8, .bytes = 2000});
    summed->steps.push_back(std::move(step));
  }
  CHECK(watch.look(Reports{summed}).empty());
}

} // namespace
} // namespace commtap
