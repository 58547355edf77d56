// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/report_json.h"

#include <filesystem>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

using nlohmann::json;

/// Returns the sample's document with `value` at the JSON pointer.
std::string withChange(const char* pointer, const json& value) {
  json document = json::parse(reportToJson(sampleReport(0)));
  document[json::json_pointer(pointer)] = value;
  return document.dump();
}

std::string errorAfter(const char* pointer, const json& value) {
  const Result<Report> report = reportFromJson(withChange(pointer, value));
  return report ? "no error" : report.error();
}

TEST_CASE("a report survives a JSON round trip") {
  Report report = sampleReport(3);
  report.job.exit = ExitKind::kSignal;
  report.job.exit_signal = 6;
  report.job.local_rank = std::nullopt;
  report.not_seen.push_back({"unknown_op", 2, "a::b", "meaning"});
  const std::string text = reportToJson(report);
  const Result<Report> back = reportFromJson(text);
  REQUIRE(back);
  CHECK(reportToJson(*back) == text);
  CHECK(back->job.exit_signal == 6);
  CHECK_FALSE(back->job.exit_status);
  CHECK_FALSE(back->job.local_rank);
  CHECK(back->modules[3].parameters[0].mesh == R"({"tp":4})");
  CHECK(back->modules[3].parameters[1].placements.empty());
  CHECK(back->collectives.size() == 3);
}

TEST_CASE("the exit status and the time of the launcher's signal survive a round trip") {
  Report report = sampleReport(0);
  CHECK_FALSE(has(reportToJson(report), "signal_sent_at"));
  report.job.exit_status = 3;
  report.job.signal_sent_at_ns = 1'700'000'000'000'001'000;
  const auto back = reportFromJson(reportToJson(report));
  CHECK(back->job.exit_status == 3);
  CHECK(back->job.signal_sent_at_ns == 1'700'000'000'000'001'000);
}

TEST_CASE("own cost survives a round trip and is omitted if unknown") {
  Report report = sampleReport(0);
  report.own_cost.reset();
  CHECK(reportToJson(report).find("own_cost") == std::string::npos);
  report.own_cost = OwnCost{1, 2, 3, 4, 5, 600, 700};
  const auto back = reportFromJson(reportToJson(report));
  REQUIRE(back);
  CHECK(back->own_cost == report.own_cost);
}

TEST_CASE("steps and last collectives survive a round trip; a normal exit keeps only the last hundred") {
  Report report = sampleReport(0);
  report.steps = {
      {0, 1, 1'000'000, 2'000'000, 3, 2, {{Kind::kAllReduce, "0", 1, 320}, {Kind::kOther, "?", 2, 0}}},
      {1, 1, 2'000'000, std::nullopt, 0, 0, {}}};
  report.last.assign(250, report.last.back());
  for (size_t i = 0; i < report.last.size(); ++i) {
    report.last[i].number = i + 1;
    report.last[i].issued_at_ns = 1000 * i;
  }
  report.last[248].peer = 3;
  report.last[248].state = LastState::kFailed;
  report.last[249].completed_at_ns = 7000;
  report.job.exit = ExitKind::kKilled;
  const auto all = reportFromJson(reportToJson(report));
  REQUIRE(all);
  CHECK(all->steps == report.steps);
  CHECK(all->last == report.last);
  CHECK(all->groups[0].collectives == 4);
  CHECK(all->collectives[0].sizes == report.collectives[0].sizes);
  report.job.exit = ExitKind::kNormal;
  const auto few = reportFromJson(reportToJson(report));
  REQUIRE(few);
  REQUIRE(few->last.size() == 100);
  CHECK(few->last.back() == report.last.back());
}

TEST_CASE("what ended the steps survives a round trip") {
  Report report = sampleReport(0);
  CHECK(reportToJson(report).find("\"steps_from\":null") != std::string::npos);
  for (int i = 0; i < kStepSignCount; ++i) {
    report.job.steps_from = static_cast<StepSign>(i);
    const auto back = reportFromJson(reportToJson(report));
    REQUIRE(back);
    CHECK(back->job.steps_from == report.job.steps_from);
  }
}

TEST_CASE("durations survive a round trip; a row and a step without durations have no field") {
  Report report = sampleReport(0);
  report.own_cost.reset();
  report.steps = {{0, 1, 1'000'000, 2'000'000, 1, 1, {{Kind::kAllReduce, "0", 1, 320, 0, 0}}}};
  CHECK(reportToJson(report).find("\"timing\":\"off\"") != std::string::npos);
  CHECK(reportToJson(report).find("_ns\"") == std::string::npos);
  report.job.timing = {4, true};
  report.steps[0].collectives[0].running_ns = 70;
  report.steps[0].collectives[0].exposed_ns = 50;
  CollectiveTime& time = report.collectives[0].time;
  time.durations = {Durations{1, 7, 7, 7, {{4, 1}}}, {2, 70, 30, 40, {{16, 1}, {32, 1}}}, {}};
  time.bytes = 140;
  time.bus_bytes = 210;
  time.stalled_in = {{{"", Phase::kOther}, {1, 5}}, {{"net", Phase::kForward}, {2, 45}}};
  const std::string text = reportToJson(report);
  CHECK(text.find("\"timing\":\"sample:4\"") != std::string::npos);
  CHECK(text.find("\"algbw_bytes_per_second\":2000000000,") != std::string::npos);
  CHECK(text.find("\"busbw_bytes_per_second\":3000000000}") != std::string::npos);
  CHECK(
      text.find(R"("stalled_in":[{"module":"net","phase":"forward","count":2,"exposed_ns":45},{"module":null,)") !=
      std::string::npos);
  const auto back = reportFromJson(text);
  REQUIRE(back);
  CHECK(back->job.timing == report.job.timing);
  CHECK(back->steps == report.steps);
  CHECK(back->collectives[0].time == time);
  CHECK_FALSE(back->collectives[1].time.isKnown());
}

TEST_CASE("split sizes survive a round trip; a row without any has no field") {
  Report report = sampleReport(0);
  report.collectives[0].splits = {3, {4.0 / 3, 2}, 3, 0, 1, {{0, 0}, {3, 80}}};
  report.collectives[1].splits = {1, {1, 1}, {}, {}, 0, {}};
  const nlohmann::json document = nlohmann::json::parse(reportToJson(report));
  const nlohmann::json& rows = document["collectives"];
  CHECK(rows[0]["splits"]["peers"] == nlohmann::json{{"0", 0}, {"3", 80}});
  CHECK(rows[0]["splits"]["hottest_peer"] == 3);
  CHECK(rows[1]["splits"]["hottest_peer"].is_null());
  CHECK_FALSE(rows[1]["splits"].contains("peers"));
  CHECK_FALSE(rows[2].contains("splits"));
  const Result<Report> again = reportFromJson(reportToJson(report));
  REQUIRE(again);
  for (size_t i = 0; i < report.collectives.size(); ++i) {
    CHECK(again->collectives[i].splits == report.collectives[i].splits);
  }
}

TEST_CASE("NCCL calls survive a round trip; a report without NCCL calls has no section") {
  Report report = sampleReport(0);
  CHECK(reportToJson(report).find("\"nccl\"") == std::string::npos);
  report.nccl = Nccl{
      "2.29.7",
      {{2, 1, "0"}, {std::nullopt, std::nullopt, ""}},
      {{"ncclAllReduce",
        0,
        "c10d.allreduce_",
        "0",
        "MLP",
        Phase::kBackward,
        "float32",
        true,
        NcclSource::kCall,
        3,
        1,
        96,
        2},
       {"ncclMemAlloc",
        std::nullopt,
        "",
        "",
        "Global",
        Phase::kOther,
        "",
        std::nullopt,
        NcclSource::kPlugin,
        1,
        0,
        4096}}};
  report.open_calls = {{"ncclGroupEnd", "0", 1'000'000}, {"ncclCommAbort", "", 2'000'000}};
  const Result<Report> read = reportFromJson(reportToJson(report));
  REQUIRE(read);
  CHECK(read->nccl == report.nccl);
}

TEST_CASE("CUDA graphs survive a round trip; a report without CUDA graphs has no section") {
  Report report = sampleReport(0);
  CHECK(reportToJson(report).find("cuda_graphs") == std::string::npos);
  report.cuda_graphs = {
      {12,
       {{"MLP.net1", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "0", 2, 96}},
       {{"ncclAllReduce", 0, 2, 96}, {"ncclSend", std::nullopt, 1, 8}}},
      {}};
  const Result<Report> read = reportFromJson(reportToJson(report));
  REQUIRE(read);
  CHECK(read->cuda_graphs == report.cuda_graphs);
}

TEST_CASE("an error names an invalid size") {
  CHECK(errorAfter("/collectives/0/sizes", {{"many", 1}}).find("report.collectives[0].sizes has \"many\"") == 0);
  CHECK(errorAfter("/collectives/0/sizes", {{"64", "x"}}).find("has \"64\"") != std::string::npos);
}

TEST_CASE("ops have a section if they were counted, even without a row") {
  Report report = sampleReport(0);
  CHECK(reportToJson(report).find("\"operations\"") == std::string::npos);
  for (const std::vector<Operation>& rows :
       {std::vector<Operation>(),
        {{"net1", Phase::kBackward, "aten.mm", true, 7}, {"Global", {}, "aten.add", false, 1}}}) {
    report.operations = rows;
    const auto read = reportFromJson(reportToJson(report));
    REQUIRE(read);
    CHECK(read->operations == report.operations);
  }
}

TEST_CASE("the document has the promised fields and one row per line") {
  const std::string text = reportToJson(sampleReport(0));
  const json document = json::parse(text);
  CHECK(document["schema"] == "commtap/2");
  CHECK(document["job"]["argv"] == json({"python", "train.py"}));
  CHECK(document["collectives"][0].size() == 16);
  CHECK(document["collectives"][0]["bus_bytes"].is_number_unsigned());
  CHECK(text.find("\n    {\"module\":\"Global\",\"phase\":\"other\"") != std::string::npos);
}

TEST_CASE("hostile names stay text and survive a round trip") {
  Report report = sampleReport(0);
  const std::string hostile = "\x1b[31m\"\\\n\t\x01</script>";
  report.modules[1].name = hostile;
  report.collectives[0].module = hostile;
  const Result<Report> back = reportFromJson(reportToJson(report));
  REQUIRE(back);
  CHECK(back->modules[1].name == hostile);
  CHECK(back->collectives[0].module == hostile);
}

TEST_CASE("invalid UTF-8 is replaced") {
  Report report = sampleReport(0);
  report.job.host = "a\xff\xc3(b";
  report.job.argv = {"\xf0\x28"};
  const Result<Report> back = reportFromJson(reportToJson(report));
  REQUIRE(back);
  CHECK(back->job.host.find("\xef\xbf\xbd") != std::string::npos);
}

TEST_CASE("an error names the field and what was found") {
  CHECK(errorAfter("/collectives/1/count", "7") == "report.collectives[1].count is \"7\", not a count");
  CHECK(errorAfter("/collectives/1/count", -1) == "report.collectives[1].count is -1, not a count");
  CHECK(errorAfter("/collectives/0/kind", "sum") == "report.collectives[0].kind is \"sum\", which is unknown");
  CHECK(errorAfter("/collectives/0/module", nullptr) == "report.collectives[0].module is null, not a string");
  CHECK(errorAfter("/groups/0/size", 4294967296) == "report.groups[0].size is 4294967296, not a count");
  CHECK(errorAfter("/groups/0/ranks", {0, -1}) == "report.groups[0].ranks is [0,-1], not ranges of ranks");
  CHECK(errorAfter("/job/rank", true) == "report.job.rank is true, not an integer");
  CHECK(errorAfter("/job/started_at", "noon") == "report.job.started_at is \"noon\", not a time");
  CHECK(errorAfter("/modules", 5) == "report.modules is not a list");
  CHECK(errorAfter("/modules/3/parameters/0/shape", "big") == "report.modules[3].parameters[0].shape is not a list");
}

TEST_CASE("values that are nested 100,000 deep are an error, wherever they stand") {
  const std::string nest = std::string(100'000, '[') + std::string(100'000, ']');
  std::string text = reportToJson(sampleReport(1));
  const size_t count = text.find("\"count\":") + 8;
  text.replace(count, text.find_first_of(",}", count) - count, nest);
  CHECK(reportFromJson(text).error() == "no report: its values are nested too deeply");
  CHECK(reportFromJson(nest).error() == "no report: its values are nested too deeply");
}

TEST_CASE("a number out of range is an error that names the field") {
  CHECK(errorAfter("/job/rank", -1) == "report.job.rank is -1, not a number of at least 0");
  CHECK(errorAfter("/job/rank", 4) == "report.job.rank is 4, but report.job.world_size is 4");
  CHECK(errorAfter("/job/world_size", 0) == "report.job.world_size is 0, not a number of at least 1");
  CHECK(errorAfter("/job/local_rank", -2) == "report.job.local_rank is -2, not a number of at least 0");
  CHECK(errorAfter("/collectives/1/count", 1.5) == "report.collectives[1].count is 1.5, not a count");
  CHECK(errorAfter("/collectives/1/bytes", -7) == "report.collectives[1].bytes is -7, not a count");
  CHECK(
      errorAfter("/collectives/1/bus_bytes", -1.5) ==
      "report.collectives[1].bus_bytes is -1.5, not a number of at least 0");
  CHECK(errorAfter("/collectives/0/sizes", {{"-1", 1}}).find("report.collectives[0].sizes has \"-1\"") == 0);
}

TEST_CASE("an error does not quote a number of any length") {
  std::string text = reportToJson(sampleReport(0));
  const std::string field = "\"pid\":";
  text.insert(text.find(field) + field.size(), std::string(1'000'000, '1'));
  const Result<Report> report = reportFromJson(text);
  REQUIRE_FALSE(report);
  CHECK(report.error().size() < 300);
}

TEST_CASE("a missing field is named") {
  json document = json::parse(reportToJson(sampleReport(0)));
  document["job"].erase("pid");
  CHECK(reportFromJson(document.dump()).error() == "report.job.pid is missing");
}

TEST_CASE("an unknown field of a report is ignored") {
  CHECK(errorAfter("/job/colour", "green") == "no error");
}

TEST_CASE("a document that is not a report is an error") {
  CHECK(reportFromJson("").error().find("no JSON document") == 0);
  CHECK(reportFromJson("{\"schema\": ").error().find("no JSON document") == 0);
  CHECK(reportFromJson("[]").error().find("no field \"schema\"") != std::string::npos);
  CHECK(errorAfter("/schema", "other/3").find("its schema is \"other/3\"") != std::string::npos);
  CHECK(
      errorAfter("/schema", "commtap/1") ==
      "a report of schema commtap/1, this commtap reads commtap/2: use the commtap that the job ran with");
}

TEST_CASE("a document truncated anywhere is an error") {
  const std::string text = reportToJson(sampleReport(0));
  for (size_t size = 0; size + 2 < text.size(); ++size) {
    CHECK_FALSE(reportFromJson(text.substr(0, size)));
  }
}

TEST_CASE("a document with more ranks than any job is refused") {
  std::string groups;
  for (int i = 0; i < 9; ++i) {
    groups += std::string(i == 0 ? "" : ",") + R"({"ranks":"0-999999"})";
  }
  const std::string head = reportToJson(sampleReport(0));
  const std::string text = head.substr(0, head.find("\"groups\"")) + "\"groups\":[" + groups + "]}";
  CHECK(reportFromJson(text).error() == "report.groups[4].ranks: the document has more ranks than any job");
}

TEST_CASE("the head of a report gives its job without the rest") {
  const TempFolder folder;
  const std::string text = reportToJson(sampleReport(2));
  writeText(folder / "a.json", text);
  CHECK(readReportHead(folder / "a.json")->rank == 2);
  writeText(folder / "b.json", text.substr(0, text.find("\"groups\"")));
  CHECK(readReportHead(folder / "b.json")->rank == 2);
}

TEST_CASE("a report with other line breaks is read completely") {
  const TempFolder folder;
  std::string text = reportToJson(sampleReport(1));
  std::erase(text, '\n');
  writeText(folder / "a.json", text);
  CHECK(readReportHead(folder / "a.json")->rank == 1);
}

TEST_CASE("a file that is not a report is an error with its path") {
  const TempFolder folder;
  writeText(folder / "a.json", "{\n  \"schema\": \"commtap/2\",\n  \"job\": {\"run_id\": 7}\n}");
  CHECK(readReportHead(folder / "a.json").error() == (folder / "a.json") + ": report.job.run_id is 7, not a string");
  writeText(folder / "b.json", "");
  CHECK(readReportHead(folder / "b.json").error().find("no JSON document") != std::string::npos);
  CHECK(readReportHead(folder / "none.json").error().find("cannot be opened") != std::string::npos);
}

TEST_CASE("other commtap documents are recognized by their schema") {
  CHECK(schemaOf(" {\n \"schema\" : \"commtap.job/2\", ") == "commtap.job/2");
  CHECK(schemaOf("\xef\xbb\xbf{\"schema\": \"commtap/2\"") == "commtap/2"); // behind a byte order mark
  CHECK_FALSE(schemaOf("{\"a\": 1, \"schema\": \"x\"}"));
  CHECK_FALSE(schemaOf("{\"schema\": \"cut"));
  const TempFolder folder;
  for (const auto& [schema, other] :
       {std::pair("commtap.job/2", true), {"commtap.show/1", true}, {"commtap/2", false}}) {
    writeText(folder / "a.json", std::string("{\"schema\": \"") + schema + "\"}");
    CHECK(isOtherDocument(folder / "a.json") == other);
  }
  CHECK_FALSE(isOtherDocument(folder / "none.json"));
}

using nlohmann::json;

TEST_CASE("what commtap writes is a whole report, also after another program wrote it with other blanks") {
  const std::string text = reportToJson(sampleReport(1));
  const Result<Report> report = wholeReportFromJson(text);
  REQUIRE(report);
  CHECK(report->job.rank == 1);
  CHECK(wholeReportFromJson(json::parse(text).dump()));
  CHECK(wholeReportFromJson(text + "\n"));
}

TEST_CASE("the reports of a job are whole") {
  namespace fs = std::filesystem;
  size_t reports = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(COMMTAP_SOURCE_ROOT "/tests/corpus")) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("rank-") || !name.ends_with(".json")) {
      continue;
    }
    ++reports;
    CAPTURE(entry.path().string());
    const Result<Report> report = wholeReportFromJson(readText(entry.path()));
    CHECK_MESSAGE(report, (report ? "" : report.error()));
  }
  CHECK(reports > 0);
}

TEST_CASE("a document with anything else in it is not a whole report") {
  const std::string text = reportToJson(sampleReport(0));
  json on_top = json::parse(text);
  on_top["notes"] = "mine";
  CHECK(wholeReportFromJson(on_top.dump()).error() == "it holds more than a report");
  json in_a_row = json::parse(text);
  in_a_row["collectives"][0]["notes"] = {{"mine", 1}};
  CHECK_FALSE(wholeReportFromJson(in_a_row.dump()));
  json in_the_job = json::parse(text);
  in_the_job["job"]["owner"] = "me";
  CHECK_FALSE(wholeReportFromJson(in_the_job.dump()));
  CHECK(reportFromJson(on_top.dump())); // other readers take it
}

TEST_CASE("a repeated name is more than a report: parsers keep one of the values") {
  std::string text = reportToJson(sampleReport(0));
  text.replace(text.find("\"schema\""), 0, "\"schema\": \"mine\", ");
  REQUIRE(reportFromJson(text));
  CHECK_FALSE(wholeReportFromJson(text));
}

TEST_CASE("a truncated document, and one with text behind it, is not a report") {
  const std::string text = reportToJson(sampleReport(0));
  CHECK_FALSE(wholeReportFromJson(text.substr(0, text.size() / 2)));
  CHECK_FALSE(wholeReportFromJson(text + "my notes"));
  CHECK_FALSE(wholeReportFromJson("{}"));
}

} // namespace
} // namespace commtap
