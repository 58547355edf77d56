// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/last_text.h"

#include <doctest/doctest.h>

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
    std::vector<LastRow> rows = lastRows(first, most);
    const std::vector<LastRow> more = lastRows(second, most);
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
    for (const LastRow& row : lastRows(report, 2)) {
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

} // namespace
} // namespace commtap
