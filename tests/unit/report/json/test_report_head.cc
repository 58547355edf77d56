// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/report_json.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

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

} // namespace
} // namespace commtap
