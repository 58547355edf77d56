// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/report_json.h"

#include <doctest/doctest.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

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
