// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/late_watch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <random>

#include "tests/unit/hang_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kFirstNs = 1'000'000'000'000;

/// Returns by how much a rank is later than the others in a step, in ms.
using Delay = std::function<uint64_t(uint64_t step, int64_t rank)>;

/// A job with two all_reduces of "world" in each step, 100 ms apart if no rank is late.
class SteadyJob {
 public:
  explicit SteadyJob(uint32_t ranks, uint64_t pause_ms = 100) : job_(ranks), ranks_(ranks), pause_ms_(pause_ms) {}

  /// Makes the steps before `end`.
  void run(uint64_t end, const Delay& delay) {
    for (; step_ < end; ++step_) {
      call(delay);
      call([](uint64_t, int64_t) { return 0; });
    }
  }
  /// Makes a call of the group, which begins when all ranks have made the one before.
  void call(const Delay& delay, Kind kind = Kind::kAllReduce, const std::string& group = "world") {
    now_ns_ += pause_ms_ * kMs;
    uint64_t last_ns = 0;
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (!isMember(rank, group)) {
        continue;
      }
      LastCollective& made = job_.issue(rank, kind, "Net", group);
      made.step = counts_steps_ ? step_ : 0;
      made.issued_at_ns = now_ns_ + delay(step_, rank) * kMs;
      last_ns = std::max(last_ns, made.issued_at_ns);
    }
    now_ns_ = last_ns;
  }
  JobLook look() const {
    JobLook look;
    for (const RankSight& sight : job_.sights()) {
      look.processes.push_back(seenProcess(std::make_shared<const Report>(*sight.report), std::nullopt));
    }
    return look;
  }
  /// Drops all calls but the last ones of each rank, as the ring of a ledger does.
  void keep(size_t calls) {
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      std::vector<LastCollective>& last = job_.report(rank).last;
      last.erase(last.begin(), last.end() - static_cast<std::ptrdiff_t>(std::min(calls, last.size())));
    }
  }
  void countNoSteps() {
    counts_steps_ = false;
  }
  uint64_t step() const {
    return step_;
  }
  void nextStep() {
    ++step_;
  }
  HangJob& job() {
    return job_;
  }

 private:
  bool isMember(uint32_t rank, const std::string& name) {
    const std::vector<Group>& groups = job_.report(rank).groups;
    return std::any_of(groups.begin(), groups.end(), [&name](const Group& group) { return group.name == name; });
  }

  HangJob job_;
  uint32_t ranks_;
  uint64_t pause_ms_;
  uint64_t step_ = 0;
  uint64_t now_ns_ = kFirstNs;
  bool counts_steps_ = true;
};

Delay always(int64_t late, uint64_t ms) {
  return [=](uint64_t, int64_t rank) { return rank == late ? ms : rank; };
}

Delay never() {
  return always(-1, 0);
}

TEST_CASE("a rank that is late step after step is found once, from the last collectives alone") {
  SteadyJob job(4);
  job.run(40, always(2, 50));
  LateWatch watch;
  const std::vector<LateRank> found = watch.look(job.look());
  REQUIRE(found.size() == 1);
  CHECK(found[0].run_id == "run");
  CHECK(found[0].rank == 2);
  CHECK(found[0].group == "world");
  CHECK(found[0].module == "Net");
  // The median of the ranks comes after 1 ms. The first of the 39 steps lacks its first call: none is before that.
  CHECK(found[0].wait_ns == doctest::Approx(38 * 49.0 / 39 * kMs));
  CHECK(found[0].step_ns == doctest::Approx((38 * 250.0 + 100) / 39 * kMs));
  CHECK(
      lateRankLine(found[0]) ==
      "rank 2 comes late: others wait for it for 47.7 ms of each step (246 ms), most at Net of world [0-3]");
  CHECK(watch.look(job.look()).empty());
  CHECK(watch.late().size() == 1);
}

TEST_CASE("a rank is found among two, after sixteen steps and no fewer") {
  SteadyJob job(2, 200);
  LateWatch watch;
  job.run(18, always(1, 50)); // of the first step one call is left out: none is before it. The last step runs
  CHECK(watch.look(job.look()).size() == 1);
  SteadyJob short_job(2, 200);
  short_job.run(17, always(1, 50));
  LateWatch other;
  CHECK(other.look(short_job.look()).empty());
}

TEST_CASE("ranks that are late by turns, a little or once are not late") {
  const std::initializer_list<std::pair<const char*, Delay>> delays = {
      {"none", never()},
      {"by turns", [](uint64_t step, int64_t rank) { return static_cast<int64_t>(step % 4) == rank ? 80 : 0; }},
      {"a little", always(2, 2)},
      {"one long pause", [](uint64_t step, int64_t rank) { return step == 20 && rank == 2 ? 60'000 : 0; }},
  };
  for (const auto& [name, delay] : delays) {
    INFO(name);
    SteadyJob job(4);
    job.run(60, delay);
    LateWatch watch;
    CHECK(watch.look(job.look()).empty());
    CHECK(watch.late().empty());
  }
}

/// Returns the ranks that are found late in so many steps.
std::vector<int64_t> lateOf(uint32_t ranks, uint64_t steps, const Delay& delay) {
  SteadyJob job(ranks);
  job.run(steps, delay);
  LateWatch watch;
  std::vector<int64_t> found;
  for (const LateRank& late : watch.look(job.look())) {
    found.push_back(late.rank);
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST_CASE("two slow ranks of four are both late, and so is a rank that is late in every second step") {
  CHECK(lateOf(4, 60, [](uint64_t, int64_t rank) { return rank > 1 ? 40 + rank : 0; }) == std::vector<int64_t>{2, 3});
  for (const uint32_t ranks : {2, 4}) {
    CHECK(lateOf(ranks, 80, [](uint64_t step, int64_t rank) {
            return step % 2 == 0 && rank == 1 ? 60 : 0;
          }) == std::vector<int64_t>{1});
    CHECK(lateOf(ranks, 80, [](uint64_t step, int64_t rank) {
            return step % 5 != 0 && rank == 1 ? 80 : 0;
          }) == std::vector<int64_t>{1});
  }
}

TEST_CASE("no rank is late in a thousand looks at a steady job, and of a slow one no other") {
  for (const uint32_t ranks : {2, 4}) {
    for (const uint64_t slow_ms : {0, 10}) {
      std::mt19937 random(ranks);
      std::exponential_distribution<double> pause(1.0 / 8); // ms
      SteadyJob job(ranks);
      LateWatch watch;
      for (uint64_t look = 1; look <= 1000; ++look) {
        job.run(2 * look, [&](uint64_t, int64_t rank) {
          return static_cast<uint64_t>(pause(random)) + (rank == 1 ? slow_ms : 0);
        });
        job.keep(40);
        watch.look(job.look());
        for (const LateRank& late : watch.late()) {
          CHECK(slow_ms > 0);
          CHECK(late.rank == 1);
        }
      }
    }
  }
}

TEST_CASE("short steps must be many: a moment is no habit") {
  SteadyJob job(2, 2); // 4 ms, and 2 ms late: 16 steps of 250 ms are 667 of them
  LateWatch watch;
  job.run(600, always(1, 2));
  CHECK(watch.look(job.look()).empty());
  job.run(700, always(1, 2));
  CHECK(watch.look(job.look()).size() == 1);
}

TEST_CASE("a rank stops being late") {
  SteadyJob job(4);
  LateWatch watch;
  job.run(40, always(2, 50));
  CHECK(watch.look(job.look()).size() == 1);
  job.run(45, never());
  CHECK(watch.look(job.look()).empty());
  CHECK(watch.late().size() == 1); // in the second half of the steps, too
  job.run(85, never());
  CHECK(watch.look(job.look()).empty());
  CHECK(watch.late().empty());
  job.run(185, always(3, 50));
  CHECK(watch.look(job.look()).at(0).rank == 3);
}

TEST_CASE("a ring that has lost calls between two looks") {
  SteadyJob job(4);
  LateWatch watch;
  for (uint64_t end = 10; end <= 60; end += 10) {
    job.run(end, always(2, 50));
    job.keep(9); // four steps, and a call of the one before
    watch.look(job.look());
  }
  REQUIRE(watch.late().size() == 1);
  CHECK(watch.late()[0].rank == 2);
}

TEST_CASE("clocks of two hosts are not compared, and absent ranks end the look") {
  SteadyJob job(4);
  job.run(40, always(2, 50));
  LateWatch watch;
  job.job().report(3).job.host = "there";
  CHECK(watch.look(job.look()).empty());
  job.job().report(3).job.host = "here";
  CHECK(watch.look(job.look()).size() == 1);
  job.job().end(0, ExitKind::kNormal, std::nullopt, 0);
  CHECK(watch.look(job.look()).empty());
  CHECK(watch.late().empty());
}

TEST_CASE("a step number that does not move gives nothing") {
  SteadyJob job(4);
  job.countNoSteps();
  job.run(60, always(2, 50));
  LateWatch watch;
  CHECK(watch.look(job.look()).empty());
}

TEST_CASE("broadcasts and messages are not looked at") {
  SteadyJob job(2);
  for (int i = 0; i < 60; ++i, job.nextStep()) {
    job.call(always(1, 50), Kind::kBroadcast);
    job.call(never());
  }
  LateWatch watch;
  CHECK(watch.look(job.look()).empty());
}

TEST_CASE("a rank that another one delays is not late: the other one is") {
  SteadyJob job(4);
  job.job().addGroup("tp", {2, 3});
  job.job().addGroup("dp", {0, 2});
  for (int i = 0; i < 60; ++i, job.nextStep()) {
    job.call(always(3, 50), Kind::kAllReduce, "tp");
    // Rank 2 has waited for rank 3; rank 0 has not.
    job.call([](uint64_t, int64_t rank) { return rank == 2 ? 50 : 0; }, Kind::kAllReduce, "dp");
    job.call(never());
  }
  LateWatch watch;
  const std::vector<LateRank> found = watch.look(job.look());
  REQUIRE(found.size() == 1);
  CHECK(found[0].rank == 3);
  CHECK(found[0].group == "tp");
  CHECK(found[0].module == "Net");
}

} // namespace
} // namespace commtap
