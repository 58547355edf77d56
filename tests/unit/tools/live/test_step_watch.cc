// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/step_watch.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Step times of a steady job: log-normal around one second, and now and then a step that writes a checkpoint.
class SteadyTimes {
 public:
  SteadyTimes(double sigma, unsigned seed) : random_(seed), noise_(0, sigma) {}

  double next() {
    const bool is_slow = ++steps_ % 100 == 0;
    return std::exp(noise_(random_)) * (is_slow ? 8 : 1);
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> noise_;
  int steps_ = 0;
};

TEST_CASE("a change is found kConfirm values after it began, and once") {
  ChangeDetector detector(0.01);
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(detector.add(1000));
  }
  for (size_t i = 1; i < ChangeDetector::kConfirm; ++i) {
    CHECK_FALSE(detector.add(1300));
  }
  const auto change = detector.add(1300);
  REQUIRE(change);
  CHECK(change->before == 1000);
  CHECK(change->after == 1300);
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(detector.add(1300));
  }
}

TEST_CASE("single values and small changes are none") {
  ChangeDetector detector(0.01);
  for (int i = 0; i < 1000; ++i) {
    CHECK_FALSE(detector.add(i % 9 == 0 ? 5000 : 1000 + i / 200));
  }
}

TEST_CASE("a million steady steps give no alarm") {
  for (const double sigma : {0.01, 0.05, 0.2}) {
    ChangeDetector detector(0.1);
    SteadyTimes times(sigma, 7);
    int alarms = 0;
    for (int i = 0; i < 350'000; ++i) {
      alarms += detector.add(times.next()) ? 1 : 0;
    }
    CHECK(alarms == 0);
  }
}

TEST_CASE("a step that becomes slower is found in noise, within twenty steps") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    ChangeDetector detector(0.1);
    SteadyTimes times(0.03, seed);
    for (int i = 0; i < 200; ++i) {
      CHECK_FALSE(detector.add(times.next()));
    }
    int steps = 0;
    while (steps < 20 && !detector.add(1.3 * times.next())) {
      ++steps;
    }
    CHECK(steps < 20);
  }
}

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
