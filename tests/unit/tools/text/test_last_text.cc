// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/call_text.h"

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the newest collectives per rank are listed, with the peer of a send") {
  Report first = sampleReport(0);
  Report second = sampleReport(1);
  second.last.back().kind = Kind::kSend;
  second.last.back().peer = 3;
  second.last.back().state = LastState::kReturned;
  second.last.back().module = "\x1b[2J";
  first.job.exit = second.job.exit = ExitKind::kNormal;
  const auto text_of = [&](size_t most) {
    std::vector<LastRow> rows = lastRows(first, most, {});
    const std::vector<LastRow> more = lastRows(second, most, {});
    rows.insert(rows.end(), more.begin(), more.end());
    return lastText(rows, Color::none());
  };
  const std::string text = text_of(1);
  CHECK(text.find("all_gather") != std::string::npos);
  CHECK(text.find("send to 3") != std::string::npos);
  CHECK(text.find("returned") != std::string::npos);
  CHECK(text.find("waiting") == std::string::npos);
  CHECK(text.find("broadcast") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text_of(10).find("broadcast") != std::string::npos);
}

TEST_CASE("a call of a rank that did not exit may be waiting, and is if it is timed and not completed") {
  Report report = sampleReport(0);
  for (LastCollective& call : report.last) {
    call.state = LastState::kReturned;
  }
  REQUIRE(report.last.size() > 1);
  const auto states_of = [&report] {
    std::vector<std::string> states;
    for (const LastRow& row : lastRows(report, 2, {})) {
      states.push_back(row.state);
    }
    return states;
  };
  report.job.exit = ExitKind::kNormal;
  CHECK(states_of() == std::vector<std::string>{"returned", "returned"});
  for (const ExitKind exit : {ExitKind::kKilled, ExitKind::kRunning, ExitKind::kSignal}) {
    report.job.exit = exit;
    report.job.timing = {0};
    CHECK(states_of() == std::vector<std::string>{"returned", "may be waiting"});
    report.job.timing = {1};
    CHECK(states_of() == std::vector<std::string>{"returned", "may be waiting"});
    report.last.insert(report.last.begin(), report.last.back());
    report.last.front().state = LastState::kCompleted;
    CHECK(states_of() == std::vector<std::string>{"waiting", "waiting"});
    report.last.erase(report.last.begin());
  }
}

TEST_CASE("a call that all ranks have issued and one has passed does not wait") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  job.issue(0, Kind::kAllReduce, "Net.b");
  const auto state_of = [&job](int64_t rank) {
    job.report(rank).last.back().state = LastState::kReturned;
    const std::vector<const Report*> reports = {&job.report(0), &job.report(1)};
    return lastRows(job.report(rank), 1, passedCalls(reports)).back().state;
  };
  CHECK(state_of(0) == "may be waiting");
  CHECK(state_of(1) == "returned");
}

/// Returns the reports of three ranks of the sample job, with equal collectives.
struct Ranks {
  std::vector<Report> reports = {sampleReport(0), sampleReport(1), sampleReport(2)};

  std::vector<const Report*> pointers() const {
    return {&reports[0], &reports[1], &reports[2]};
  }
  std::vector<SequenceMismatch> mismatches() const {
    return sequenceMismatches(pointers());
  }
};

TEST_CASE("ranks with equal collectives have no mismatch") {
  CHECK(Ranks().mismatches().empty());
  CHECK(mismatchText(Ranks().mismatches(), Color::none()).empty());
}

TEST_CASE("a mismatch is the first differing number, with the ranks of each distinct call") {
  Ranks ranks;
  ranks.reports[1].last[1].kind = Kind::kAllGather;
  ranks.reports[1].last[1].op = "c10d.allgather_";
  ranks.reports[2].last[2].bytes += 1;
  const std::vector<SequenceMismatch> mismatches = ranks.mismatches();
  REQUIRE(mismatches.size() == 1);
  CHECK(mismatches[0].sequence == 2);
  REQUIRE(mismatches[0].calls.size() == 2);
  CHECK(mismatches[0].calls[0].ranks == RankRanges{{0, 0}, {2, 2}});
  CHECK(mismatches[0].calls[1].ranks == RankRanges{{1, 1}});
  const std::string text = mismatchText(mismatches, Color::none());
  CHECK(text.find("group default_pg: ranks have issued different collectives as number 2\n") == 0);
  CHECK(text.find("  ranks 0, 2: broadcast of 64 B for Global (other)") != std::string::npos);
  CHECK(text.find("  rank 1: all_gather of 64 B for Global (other)") != std::string::npos);
}

TEST_CASE("payloads of uneven all_to_alls, sends and other runs are not compared") {
  Ranks ranks;
  for (size_t i = 0; i < 3; ++i) {
    ranks.reports[i].last[0].kind = Kind::kAllToAll;
    ranks.reports[i].last[0].bytes = i;
    ranks.reports[i].last[1].kind = i == 0 ? Kind::kSend : Kind::kRecv;
  }
  ranks.reports[2].job.run_id = "another";
  ranks.reports[2].last[2].kind = Kind::kBarrier;
  CHECK(ranks.mismatches().empty());
}

} // namespace
} // namespace commtap
