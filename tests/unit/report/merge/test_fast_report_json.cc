// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_reader.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/json/report_json.h"
#include "report/merge/job_order.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

using nlohmann::json;

/// Returns the text of the report without parameters, which ReportDepth::kCompared leaves out.
std::string plain(Report report) {
  for (Module& module : report.modules) {
    module.parameters.clear();
  }
  return reportToJson(report);
}

LastCollective callOf(uint64_t sequence) {
  LastCollective call;
  call.number = sequence;
  call.group = "0";
  call.sequence = sequence;
  call.step = 3;
  call.module = "net1";
  call.issued_in = "net2";
  call.phase = Phase::kBackward;
  call.op = "c10d.allreduce_";
  call.kind = Kind::kAllReduce;
  call.dtype = sequence % 2 == 0 ? "float32" : "";
  call.bytes = 64;
  call.issued_at_ns = 1000;
  return call;
}

class Reader {
 public:
  Result<Report> read(const std::string& text, ReportDepth depth = ReportDepth::kCompared) {
    writeText(folder_ / "a.json", text);
    return reader_.read(folder_ / "a.json", depth);
  }
  std::string path() const {
    return folder_ / "a.json";
  }

 private:
  TempFolder folder_;
  FastReportReader reader_;
};

TEST_CASE("the fast reader equals reportFromJson(), without parameters at kCompared") {
  Reader reader;
  Report report = sampleReport(2);
  report.modules[2].name = "quoted \" \\ \n \xc3\xa9";
  report.collectives[0].lowered = {"a", "b"};
  report.collectives[0].async_op = AsyncOp::kNo;
  report.collectives[0].compiled = true;
  report.collectives[1].setup = true;
  report.collectives[1].bus_bytes = 0.5;
  report.groups.push_back({"x", "", "gloo", 9, {}});
  report.not_seen = {{"unknown_op", 1, "d", "m"}};
  report.operations = {{"net1", Phase::kBackward, "aten.mm", true, 7}};
  report.job.exit_signal = 9;
  report.job.exit_status = 3;
  report.job.signal_sent_at_ns = 3'000'000;
  report.job.timing = {1};
  report.steps = {{0, 1, 1'000'000, 2'000'000, 1, 1, {{Kind::kAllReduce, "0", 1, 320, 70, 50}}}};
  report.collectives[1].time.durations = {Durations{}, {2, 70, 30, 40, {{16, 1}, {32, 1}}}, {1, 5, 5, 5, {{4, 1}}}};
  report.collectives[1].time.bytes = 140;
  report.collectives[1].time.stalled_in = {{{"", Phase::kOther}, {1, 2}}, {{"net1", Phase::kForward}, {1, 3}}};
  report.collectives[1].splits = {3, {1.25, 2}, 3, 0, 1, {{0, 0}, {3, 80}}};
  report.collectives[2].splits = {1, {1, 1}, {}, {}, 0, {}};
  report.last = {callOf(1), callOf(2)};
  report.last[1].peer = 1;
  report.last[1].completed_at_ns = 3'000'000;
  report.own_cost = OwnCost{1, 2, 3, 4, 5, 6, 7};
  report.cuda_graphs = {
      {12,
       {{"net1", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "0", 2, 96}},
       {{"ncclAllReduce", 0, 2, 96}, {"ncclSend", std::nullopt, 1, 8}}}};
  report.nccl = Nccl{
      "2.29.7",
      {{4, 2, "0"}, {}},
      {{"ncclSend", 0, "c10d.send", "0", "net1", Phase::kForward, "float32", true, NcclSource::kPlugin, 3, 1, 96},
       {"ncclCommSplit", std::nullopt, "", "", "Global", Phase::kOther, "", false, NcclSource::kCall, 1, 0, 0}}};
  report.open_calls = {{"ncclGroupEnd", "0", 1'000'000}};
  const Result<Report> read = reader.read(reportToJson(report));
  REQUIRE(read);
  CHECK(plain(*read) == plain(report));
  CHECK(plain(*read) == plain(*reportFromJson(reportToJson(report))));
  for (const Module& module : read->modules) {
    CHECK(module.parameters.empty());
  }
  const Result<Report> all = reader.read(reportToJson(report), ReportDepth::kAll);
  REQUIRE(all);
  CHECK(reportToJson(*all) == reportToJson(report));
}

TEST_CASE("the fast reader reads only the last collectives that are compared") {
  Reader reader;
  Report report = sampleReport(1);
  report.job.exit = ExitKind::kKilled; // the report of a normal exit has fewer
  for (uint64_t sequence = 1; sequence <= 2048; ++sequence) {
    report.last.push_back(callOf(sequence));
  }
  const Result<Report> read = reader.read(reportToJson(report));
  REQUIRE(read);
  REQUIRE(read->last.size() == kMostCompared);
  CHECK(read->last.front().sequence == 2049 - kMostCompared);
  CHECK(read->last.back().sequence == 2048);
  CHECK(reader.read(reportToJson(report), ReportDepth::kAll)->last.size() == report.last.size());
}

TEST_CASE("the fast reader accepts any field order and layout") {
  Reader reader;
  const Report report = sampleReport(1);
  const json sorted = json::parse(reportToJson(report)); // sorted by name
  for (const std::string& text : {sorted.dump(), sorted.dump(4), reportToJson(report) + "\n\n"}) {
    const Result<Report> read = reader.read(text);
    REQUIRE(read);
    CHECK(plain(*read) == plain(report));
  }
}

TEST_CASE("the fast reader takes the last value of a repeated name, as reportFromJson() does") {
  Reader reader;
  const std::string text = reportToJson(sampleReport(2));
  const std::string row = "{\"module\":\"elsewhere\",";
  const size_t rows = text.find("\"collectives\": [");
  const size_t first = text.find('{', rows);
  for (const std::string& changed :
       {std::string(text).replace(first, 1, row),
        std::string(text).replace(1, 0, "\"collectives\": [],"),
        std::string(text).insert(text.rfind('}'), ",\"collectives\": []")}) {
    const Result<Report> fast = reader.read(changed);
    const Result<Report> slow = reportFromJson(changed);
    REQUIRE_MESSAGE(fast, fast.error());
    REQUIRE_MESSAGE(slow, slow.error());
    CHECK(plain(*fast) == plain(*slow));
  }
}

TEST_CASE("errors are those of reportFromJson() with the path") {
  Reader reader;
  Report report = sampleReport(0);
  report.nccl.emplace().calls.emplace_back().function = "ncclSend";
  const json document = json::parse(reportToJson(report));
  const std::pair<const char*, json> changes[] = {
      {"/schema", "commtap/3"},
      {"/job/pid", -1},
      {"/job/rank", -1},
      {"/job/rank", 4},
      {"/job/attempt", -1},
      {"/job/world_size", 0},
      {"/collectives/0/count", -1},
      {"/collectives/0/count", 1.5},
      {"/collectives/0/bus_bytes", -0.5},
      {"/collectives/0/sizes", {{"-1", 1}}},
      {"/groups/0/size", 4294967296},
      {"/groups/0/ranks", "3-0"},
      {"/modules/1/calls/forward", 1.5},
      {"/collectives/0/kind", "all_gathr"},
      {"/collectives/0/count", true},
      {"/collectives/1/lowered", "x"},
      {"/nccl", 1},
      {"/nccl/calls/0/phase", "x"},
      {"/nccl/calls/0/count", -1},
      {"/not_seen", json::object()},
  };
  for (const auto& [pointer, value] : changes) {
    json changed = document;
    changed[json::json_pointer(pointer)] = value;
    const Result<Report> read = reader.read(changed.dump());
    REQUIRE_FALSE(read);
    CHECK(read.error() == reader.path() + ": " + reportFromJson(changed.dump()).error());
  }
}

TEST_CASE("a report truncated anywhere is an error, and the next report is read") {
  Reader reader;
  const std::string text = reportToJson(sampleReport(0));
  for (size_t size = 0; size + 2 < text.size(); size += 97) {
    CHECK_FALSE(reader.read(text.substr(0, size)));
  }
  CHECK(reader.read(text));
}

TEST_CASE("a report is refused that would take more memory than allowed") {
  const TempFolder folder;
  const std::string text = reportToJson(sampleReport(0));
  writeText(folder / "a.json", text);
  FastReportReader reader;
  CHECK(reader.read(folder / "a.json", ReportDepth::kAll, 100 * text.size()));
  CHECK(has(reader.read(folder / "a.json", ReportDepth::kAll, text.size() / 2).error(), "but --max-file-size is "));
  const Result<Report> wide = reader.read(folder / "a.json", ReportDepth::kAll, 2 * text.size());
  CHECK(has(wide.error(), (folder / "a.json") + " may take "));
}

} // namespace
} // namespace commtap
