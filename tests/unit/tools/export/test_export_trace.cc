// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

using nlohmann::json;

constexpr uint64_t kStart = 1'000'000'000;

Report report(int64_t rank) {
  Report made = sampleReport(rank);
  made.job.started_at_ns = kStart;
  made.steps = {
      {0, 1, kStart + 1000, kStart + 5000, 1, 1, {{Kind::kAllReduce, "0", 3, 300}}},
      {1, 4, kStart + 5000, kStart + 9000, 4, 4, {}},
      {5, 1, kStart + 9000, std::nullopt, 0, 0, {}}};
  LastCollective ran;
  ran.group = "0";
  ran.kind = Kind::kAllReduce;
  ran.op = "c10d.allreduce_";
  ran.issued_at_ns = kStart + 1500;
  ran.started_at_ns = kStart + 2000;
  ran.completed_at_ns = kStart + 4500;
  LastCollective hangs;
  hangs.group = "?";
  hangs.kind = Kind::kRecv;
  hangs.module = "<b>\xff";
  hangs.peer = 3;
  hangs.issued_at_ns = kStart + 7000;
  made.last = {ran, hangs};
  return made;
}

/// Returns the document of the reports.
json traceOf(const std::vector<Report>& reports) {
  std::vector<FoundReport> found;
  for (const Report& report : reports) {
    found.push_back({.path = "", .job = report.job});
  }
  ChromeTrace trace(found);
  std::string text;
  for (const Report& report : reports) {
    text += trace.textOf(report);
  }
  return json::parse(text + trace.end());
}

std::vector<json> eventsOf(const json& trace, const char* phase) {
  std::vector<json> events;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) {
      events.push_back(event);
    }
  }
  return events;
}

TEST_CASE("a step has its exposed time, unless only a sample of the steps is timed") {
  Report timed = report(1);
  timed.job.timing = {1, true};
  timed.steps[0].collectives[0].exposed_ns = 1500;
  CHECK(eventsOf(traceOf({timed}), "X")[0]["args"]["exposed_us"] == 1.5);
  timed.job.timing = {2, true};
  CHECK_FALSE(eventsOf(traceOf({timed}), "X")[0]["args"].contains("exposed_us"));
}

TEST_CASE("steps and timed collectives are spans, other collectives are instants") {
  const json trace = traceOf({report(1)});
  CHECK(trace["baseTimeNanoseconds"] == kStart);
  const std::vector<json> spans = eventsOf(trace, "X");
  REQUIRE(spans.size() == 3);
  CHECK(spans[0]["name"] == "ProfilerStep#0");
  CHECK(spans[0]["ts"] == 1.0);
  CHECK(spans[0]["dur"] == 4.0);
  CHECK(spans[0]["args"]["bytes"] == 300);
  CHECK(spans[1]["name"] == "steps 1-4");
  CHECK(spans[2]["name"] == "all_reduce");
  CHECK(spans[2]["pid"] == 1);
  CHECK(spans[2]["tid"] == 1);
  CHECK(spans[2]["ts"] == 2.0);
  CHECK(spans[2]["dur"] == 2.5);
  CHECK(spans[2]["args"]["queued_us"] == 0.5);
  CHECK(spans[2]["args"]["Process Group Ranks"] == "[0, 1, 2, 3]");
  const std::vector<json> marks = eventsOf(trace, "i");
  REQUIRE(marks.size() == 1);
  CHECK(marks[0]["ts"] == 7.0);
  CHECK(marks[0]["args"]["Src Rank"] == 3);
  CHECK(marks[0]["args"]["module"] == "<b>\xef\xbf\xbd");
}

TEST_CASE("distributedInfo is there for a single rank only") {
  const json alone = traceOf({report(1)});
  CHECK(alone["distributedInfo"]["rank"] == 1);
  CHECK(alone["distributedInfo"]["world_size"] == 4);
  CHECK(alone["distributedInfo"]["pg_config"][0]["ranks"] == json({0, 1, 2, 3}));
  const json trace = traceOf({report(0), report(1)});
  CHECK_FALSE(trace.contains("distributedInfo"));
  CHECK(eventsOf(trace, "X").size() == 6);
}

TEST_CASE("a trace without reports has no events") {
  CHECK(traceOf({})["traceEvents"].empty());
}

} // namespace
} // namespace commtap
