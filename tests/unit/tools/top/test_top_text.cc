// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/top_text.h"

#include <doctest/doctest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "report/json/row_write.h"
#include "tests/unit/hang_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr uint64_t kOneSecond = 1'000'000'000;
constexpr uint64_t kNow = 1'800'000'000 * kOneSecond;

/// Returns two ranks of the sample job whose last collectives were `ago` seconds ago.
TopFrame frame(uint64_t more_calls, uint64_t rank0_ahead, uint64_t ago) {
  TopFrame frame;
  frame.look.at_ns = kNow;
  std::vector<std::shared_ptr<const Report>> reports;
  for (const int64_t rank : {0, 1}) {
    auto report = std::make_shared<Report>(sampleReport(rank));
    for (Collective& row : report->collectives) {
      row.count += row.kind == Kind::kAllReduce ? more_calls : 0;
      row.bytes += row.kind == Kind::kAllReduce ? more_calls * 1024 : 0;
    }
    for (LastCollective& last : report->last) {
      last.issued_at_ns = kNow - ago * kOneSecond;
    }
    report->groups.at(0).collectives += rank == 0 ? rank0_ahead : 0;
    frame.look.processes.push_back(seenProcess(report, std::nullopt));
    reports.push_back(report);
  }
  frame.traffic = trafficOf(reports);
  return frame;
}

std::string textOf(const TopFrame& before, const TopFrame& now, const ScreenSize& screen = {}) {
  return topText({earlier(before.look), before.traffic}, now, {.rows = 8}, screen, Color::none());
}

TEST_CASE("top text shows the rates between two reads") {
  TopFrame before = frame(0, 0, 0);
  before.look.at_ns -= 2 * kOneSecond;
  const std::string text = textOf(before, frame(10, 0, 0));
  CHECK(has(text, "2 processes, step 0"));
  CHECK(has(text, "all_reduce     10.0   10.0 KiB"));
  CHECK(has(text, "all_gather      0.0        0 B"));
  CHECK_FALSE(has(text, "behind"));
}

TEST_CASE("keys change the order of the rates, and explain themselves") {
  TopFrame before = frame(0, 0, 0);
  before.look.at_ns -= 2 * kOneSecond;
  TopView view{.rows = 8};
  const auto textNow = [&] {
    return topText({earlier(before.look), before.traffic}, frame(10, 0, 0), view, {}, Color::none());
  };
  const std::string plain = textNow();
  CHECK_FALSE(has(plain, "keys: "));
  view.press('?');
  view.press('x');
  CHECK(has(textNow(), "keys: q quits; s sorts by payload, calls or time exposed (now: payload); ? hides this line\n"));
  view.press('s');
  CHECK(has(textNow(), "(now: calls)"));
  view.press('s');
  view.press('s');
  view.press('?');
  CHECK(textNow() == plain);
}

TEST_CASE("the JSON of top has the rates, and what why says of each job") {
  TopFrame before = frame(0, 0, 0);
  before.look.at_ns -= 2 * kOneSecond;
  const TopFrame now = frame(10, 0, 0);
  const TopReport report = topReport({earlier(before.look), before.traffic}, now, {});
  const nlohmann::json document = nlohmann::json::parse(jsonDocument(report));
  CHECK(document["schema"] == "commtap.top/1");
  CHECK(document["seconds"] == 2);
  CHECK(document["processes"] == 2);
  const nlohmann::json& rate = document["by_kind"][0];
  CHECK(rate["name"] == "all_reduce");
  CHECK(rate["calls_per_second"] == 10);
  CHECK(rate["bytes_per_second"] == 10240);
  CHECK(rate["exposed_share"].is_null());
  CHECK(document["by_group"].size() == now.traffic.by_group.size());
  CHECK(document["by_module"].size() == now.traffic.by_module.size());
  CHECK(document["verdicts"][0]["schema"] == "commtap.why/1");
  CHECK(document["verdicts"][0]["ranks"].size() == 2);
}

/// Returns four ranks of a job, of which rank 1 has not come to the last collective, a minute ago.
HangJob lateRank() {
  HangJob job(4);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (const int64_t rank : {0, 2, 3}) {
    job.issue(rank, Kind::kAllReduce, "Net.b");
  }
  return job;
}

std::string textOf(const HangJob& job, uint64_t seconds = 60) {
  TopFrame frame;
  frame.look.at_ns = job.after(seconds);
  std::vector<std::shared_ptr<const Report>> reports;
  for (const RankSight& sight : job.sights()) {
    auto report = std::make_shared<Report>(*sight.report);
    for (LastCollective& call : report->last) {
      call.state = LastState::kReturned;
    }
    reports.push_back(report);
    frame.look.processes.push_back(seenProcess(report, std::nullopt));
  }
  frame.traffic = trafficOf(reports);
  return textOf(frame, frame);
}

TEST_CASE("the verdict is the only sentence of top for what it says, with what each rank does") {
  const std::string text = textOf(lateRank());
  INFO(text);
  CHECK(has(text, "stuck: rank 1 has not entered all_reduce #2 of world [0-3]"));
  CHECK(has(text, "  cause   rank 1 "));
  CHECK(has(text, "  victim  rank 0 waits in all_reduce #2 of world [0-3] of Net.b for rank 1"));
  CHECK_FALSE(has(text, "behind"));
  HangJob differ(2);
  differ.issue(0, Kind::kAllReduce, "Net.a");
  differ.issue(1, Kind::kBarrier, "Global");
  CHECK(has(textOf(differ), "stuck: ranks issued different collectives as #1 of world [0-1]"));
  CHECK_FALSE(has(textOf(differ), "have issued different"));
}

TEST_CASE("a wait of some seconds is shown as why would say it, a shorter one is not") {
  CHECK_FALSE(has(textOf(lateRank(), 1), "rank 1 has not entered"));
  const std::string text = textOf(lateRank(), 8);
  INFO(text);
  CHECK(has(text, "\nhealthy: the last event was 8.00 s ago; rank 1 has not entered all_reduce #2 of world [0-3]"));
  CHECK(has(text, "stuck only if it lasts 30 s (--after)"));
  CHECK(has(text, "  victim  rank 0 waits in all_reduce #2"));
}

TEST_CASE("top text says that all ranks have issued a collective that none is known to have completed") {
  HangJob job(2);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  const std::string text = textOf(job);
  INFO(text);
  CHECK(has(text, "\ncannot tell: all ranks have issued all_reduce #1 of world [0-1]"));
  CHECK(has(text, "; whether it completed is not known"));
}

TEST_CASE("top does not say that the cause may be waiting") {
  const std::string text = textOf(lateRank());
  const std::string last = text.substr(text.find("Last collectives"));
  INFO(last);
  CHECK(has(last, "may be waiting"));
  const size_t line = last.find("\n   1 ");
  REQUIRE(line != std::string::npos);
  CHECK(has(last.substr(line, last.find('\n', line + 1) - line), "returned"));
}

TEST_CASE("top text has the verdict on each run, with its name if there are several") {
  TopFrame two;
  two.look.at_ns = lateRank().after(60);
  for (const char* run : {"first", "second"}) {
    const HangJob job = lateRank();
    for (const RankSight& sight : job.sights()) {
      auto report = std::make_shared<Report>(*sight.report);
      report->job.run_id = run;
      report->job.pid += run == std::string("first") ? 0 : 100;
      two.look.processes.push_back(seenProcess(report, std::nullopt));
    }
  }
  const std::string text = textOf(two, two);
  CHECK(has(text, "8 processes, 2 runs"));
  CHECK(has(text, "run first, stuck: rank 1 has not entered"));
  CHECK(has(text, "run second, stuck: rank 1 has not entered"));
}

TEST_CASE("top text names a rank that is late, and not in a job that hangs") {
  TopFrame busy = frame(0, 0, 1);
  LateRank late;
  late.run_id = busy.look.processes[0].report->job.run_id;
  late.attempt = busy.look.processes[0].report->job.attempt;
  late.rank = 1;
  late.group = "dp";
  late.members = "0-1";
  late.module = "Net.head";
  late.wait_ns = 42e6;
  late.step_ns = 210e6;
  busy.late = {late};
  CHECK(has(
      textOf(busy, busy),
      "\nrank 1 comes late: others wait for it for 42.0 ms of each step (210 ms), most at Net.head of dp [0-1]\n\n"));
  busy.late[0].run_id = "another run";
  CHECK_FALSE(has(textOf(busy, busy), "comes late"));

  const HangJob job = lateRank();
  TopFrame stuck;
  stuck.look.at_ns = job.after(60);
  for (const RankSight& sight : job.sights()) {
    stuck.look.processes.push_back(seenProcess(std::make_shared<Report>(*sight.report), std::nullopt));
  }
  late.run_id = "run";
  late.attempt = 0;
  stuck.late = {late};
  const std::string text = textOf(stuck, stuck);
  INFO(text);
  CHECK(has(text, "stuck: rank 1 "));
  CHECK_FALSE(has(text, "comes late"));
}

TEST_CASE("top text fits a screen of 40 columns and 10 lines, and its alarm comes first") {
  TopFrame quiet = frame(0, 1, 60);
  for (SeenProcess& process :
       quiet.look.processes) { // ranks 2 and 3 have no report: these waited for them, and gave up
    auto failed = std::make_shared<Report>(*process.report);
    failed->job.exit_status = 1;
    process.report = failed;
  }
  const std::string text = textOf(quiet, quiet, {40, 10});
  CHECK(std::count(text.begin(), text.end(), '\n') == 10);
  for (size_t start = 0; start < text.size(); start = text.find('\n', start) + 1) {
    CHECK(text.find('\n', start) - start <= 40);
  }
  INFO(text);
  CHECK(text.find("stuck: ") < 60);
}

} // namespace
} // namespace commtap
