// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("tables of several reports: one title line, the rows in the order of the reports") {
  const TempFolder folder;
  TableFiles files(TableFormat::kCsv);
  files.open("processes", folder / "processes.csv");
  files.add(sampleReport(1));
  files.add(sampleReport(0));
  CHECK(files.finish().empty());
  const std::string text = readText(folder / "processes.csv");
  CHECK(text.starts_with("run_id,attempt,rank,"));
  CHECK(text.find("sample-run,0,1,") < text.find("sample-run,0,0,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
}

TEST_CASE("the table of runs is exported by itself, too") {
  const TempFolder folder;
  TableFiles files(TableFormat::kCsv);
  files.open("runs", folder / "runs.csv");
  files.add(sampleReport(1));
  files.add(sampleReport(0));
  CHECK(files.finish().empty());
  const std::string text = readText(folder / "runs.csv");
  CHECK(has(text, "\nsample-run,0,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("a table without rows is a file: titles as CSV, empty as JSON lines") {
  const TempFolder folder;
  TableFiles csv(TableFormat::kCsv);
  CHECK(csv.openAll(folder / "csv").empty());
  CHECK(csv.finish().empty());
  CHECK(readText(folder / "csv/steps.csv").starts_with("run_id,attempt,rank,"));
  TableFiles lines(TableFormat::kJsonLines);
  CHECK(lines.openAll(folder / "lines").empty());
  CHECK(lines.finish().empty());
  CHECK(readText(folder / "lines/steps.jsonl").empty());
}

TEST_CASE("every output that fails is named") {
  const TempFolder folder;
  TableFiles files(TableFormat::kCsv);
  files.open("steps", folder / "missing/steps.csv");
  files.open("groups", folder / "groups.csv");
  files.open("last", folder / "absent/last.csv");
  const std::vector<std::string> errors = files.finish();
  REQUIRE(errors.size() == 2);
  CHECK(has(errors[0], "missing/steps.csv"));
  CHECK(has(errors[1], "absent/last.csv"));
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"groups.csv"});
}

} // namespace
} // namespace commtap
