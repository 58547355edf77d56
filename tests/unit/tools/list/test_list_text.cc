// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/list/list_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/json/row_write.h"
#include "tests/unit/samples.h"
#include "tools/list/list_columns.h"

namespace commtap {
namespace {

RunList someRuns() {
  ListedRun run;
  run.run_id = "run-20261127T081240Z-3e907c11";
  run.argv = {"/venv/bin/python", "train.py", "--name", "\x1b[31m"};
  run.started_at_ns = 1'000'000'000;
  run.ended_at_ns = 42'000'000'000;
  run.ranks = {{0, 6}};
  run.missing = {{7, 7}};
  run.world_size = 8;
  run.end = RunEnd::kKilled;
  run.calls = 96;
  run.bytes = 2048;
  run.disk_bytes = 4096;
  RunList list;
  list.runs = {run};
  return list;
}

TEST_CASE("a run is one line, and the last line says how to see it") {
  RunList list = someRuns();
  const std::string text = listText(list, "out", Color::none(), true);
  CHECK(has(text, "1970-01-01T00:00:01Z  41.0 s  7 of 8  killed     96  2.00 KiB  4.00 KiB  run-2026"));
  CHECK(has(text, "  python train.py --name \\x1b[31m\n"));
  CHECK(text.ends_with("CALLS and BYTES are sums over ranks; commtap show out --run RUN\n"));
  CHECK_FALSE(has(text, "older"));
  list.older = 3;
  CHECK(has(listText(list, "out", Color::none(), true), "3 older runs: --all\n"));
}

TEST_CASE("the interpreter's folder and -u are left out, a program's own -u is not") {
  RunList list = someRuns();
  list.runs[0].argv = {"/venv/bin/python3.11", "-u", "train.py", "-u"};
  CHECK(has(listText(list, "out", Color::none(), true), "  python3.11 train.py -u\n"));
  list.runs[0].argv = {"/bin/sort", "-u"};
  CHECK(has(listText(list, "out", Color::none(), true), "  sort -u\n"));
}

TEST_CASE("a command is cut for a terminal only") {
  RunList list = someRuns();
  list.runs[0].argv = {"train.py", std::string(200, 'x')};
  CHECK(has(listText(list, "out", Color::none(), false), "  train.py " + std::string(200, 'x') + "\n"));
  CHECK(has(listText(list, "out", Color::none(), true), "xxx...xxx"));
}

TEST_CASE("a plan, and a run without an end, say so") {
  RunList list = someRuns();
  list.runs[0].planned = true;
  CHECK(has(listText(list, "out", Color::none(), true), "  planned  "));
  CHECK_FALSE(has(listText(list, "out", Color::none(), true), "train.py"));
  list = someRuns();
  list.runs[0].ended_at_ns = std::nullopt;
  list.runs[0].last_activity_ns = 3'000'000'000;
  list.runs[0].end = RunEnd::kRunning;
  CHECK(has(listText(list, "out", Color::none(), true), "  > 2.00 s  7 of 8  running  "));
}

TEST_CASE("the document has every field") {
  const nlohmann::json document = nlohmann::json::parse(jsonDocument(someRuns()));
  CHECK(document["schema"] == "commtap.list/1");
  CHECK(document["older"] == 0);
  const nlohmann::json& run = document["runs"][0];
  CHECK(run["run_id"] == "run-20261127T081240Z-3e907c11");
  CHECK(run["started_at"] == "1970-01-01T00:00:01.000000Z");
  CHECK(run["ranks"] == "0-6");
  CHECK(run["missing_ranks"] == "7");
  CHECK(run["end"] == "killed");
  CHECK(run["disk_bytes"] == 4096);
}

} // namespace
} // namespace commtap
