// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/live_jobs.h"

#include <doctest/doctest.h>

#include "tests/unit/live_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

const AttemptKey kKey("sample-run", 0);

TEST_CASE("a live job has the processes of its attempt; ranks on other nodes are not missing") {
  Report other = sampleReport(3);
  other.job.run_id = "other";
  Report before = sampleReport(0);
  before.job.attempt = 2;
  LiveReports live = liveOf({other, sampleReport(0), sampleReport(2), before});
  live.problems = {"x.json: no report"};
  const Result<JobReport> job = liveJob(live, kKey);
  REQUIRE(job);
  CHECK(job->ranks == RankRanges{{0, 0}, {2, 2}});
  CHECK(job->missing.empty());
  CHECK(job->attempts == std::vector<int64_t>{0, 2});
  CHECK(job->problems == live.problems);
  CHECK_FALSE(liveJob(live, {"sample-run", 1}));
}

TEST_CASE("each process without a rank counts as a rank") {
  Report none = sampleReport(0);
  none.job.rank = std::nullopt;
  none.job.pid = 1;
  Report second = none;
  second.job.pid = 2;
  const Result<JobReport> job = liveJob(liveOf({none, second, sampleReport(0)}), kKey);
  REQUIRE(job);
  REQUIRE(job->processes.size() == 3);
  CHECK(job->processes[0].rank == 0);
  CHECK(job->collectives.at(0).amount.ranks == 3);
}

TEST_CASE("job data is made once per interval and attempt") {
  LiveJobs jobs;
  const LiveJobs::Clock::time_point start{};
  const auto later = [&](int milliseconds) { return start + std::chrono::milliseconds(milliseconds); };
  CHECK(jobs.kept(kKey, start) == nullptr);
  CHECK(jobs.make({}, kKey, nullptr, start) == nullptr);
  CHECK(jobs.kept(kKey, start) == nullptr);
  const std::string* made = jobs.make(liveOf({sampleReport(0)}), kKey, nullptr, start);
  REQUIRE(made != nullptr);
  CHECK(made->find("\"run_id\":\"sample-run\"") != std::string::npos);
  CHECK(made->starts_with("{\"idle_s\":"));
  CHECK(jobs.kept(kKey, later(1999)) == made);
  CHECK(jobs.kept(kKey, later(-500)) == made); // a request that waited while the data was made
  CHECK(jobs.kept(kKey, later(2000)) == nullptr);
  CHECK(jobs.kept({"sample-run", 1}, start) == nullptr);
}

TEST_CASE("job data has the verdict on the job's samples") {
  LiveJobs jobs;
  Verification verification;
  verification.line = "WRONG: 1 parameter";
  const std::string* made = jobs.make(liveOf({sampleReport(0)}), kKey, &verification, {});
  REQUIRE(made != nullptr);
  CHECK(made->find("WRONG: 1 parameter") != std::string::npos);
}

TEST_CASE("a job address is plain text for any run name") {
  CHECK(jobAddress({"a-b_c.9", 3}) == "job?run=a-b_c.9&attempt=3");
  CHECK(jobAddress({"50% & \"#?/\xc3\xa9+\n", 0}) == "job?run=50%25%20%26%20%22%23%3F%2F%C3%A9%2B%0A&attempt=0");
}

TEST_CASE("the parameters of a job address name a run and attempt, or are rejected") {
  CHECK(attemptFrom({{"run", "a b"}, {"attempt", "3"}}) == AttemptKey("a b", 3));
  CHECK(attemptFrom({{"run", ""}, {"attempt", "0"}}) == AttemptKey("", 0));
  CHECK_FALSE(attemptFrom({{"run", "a"}}));
  CHECK_FALSE(attemptFrom({{"attempt", "0"}}));
  for (const char* attempt : {"", "x", "1x", "0x1", "99999999999999999999"}) {
    CAPTURE(attempt);
    CHECK_FALSE(attemptFrom({{"run", "a"}, {"attempt", attempt}}));
  }
}

} // namespace

} // namespace commtap
