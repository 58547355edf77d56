// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_csv.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/show_samples.h"
#include "tools/tables/table_text.h"

namespace commtap {
namespace {

std::string csvOf(const SampleRun& folder, const ShowFilter& filter = {}) {
  const TableId table = *csvTableOf(filter);
  std::string text = csvTitles(columnsOf(table));
  for (const SampleFile& file : folder.files) {
    text += showCsv(file.report, table, filter);
  }
  return text;
}

TEST_CASE("every row of every rank is a line with as many cells as the first") {
  SampleRun folder = sampleFolder();
  folder.files[1].report.job.rank = std::nullopt;
  folder.files[1].report.collectives[0].group = "?";
  folder.files[1].report.collectives[0].module = "a\nb";
  const std::string text = csvOf(folder);
  CHECK(std::count(text.begin(), text.end(), '\n') == 7);
  CHECK(std::count(text.begin(), text.end(), ',') == 7 * 32);
  CHECK(
      text.find("\nsample-run,0,0,node1,1000,DistributedDataParallel,backward,c10d.allreduce_,all_reduce,0,"
                "default_pg,4,gloo,float32,sum,true,DistributedDataParallel,c10d.allreduce_coalesced_,1,320,480,0,0,0,"
                "0,0,0,0,0,DistributedDataParallel,,true,false\n") != std::string::npos);
  CHECK(text.find("\nsample-run,0,,node1,1002,a\\x0ab,") != std::string::npos);
}

TEST_CASE("a phase filter keeps only its rows") {
  const SampleRun folder = sampleFolder();
  const std::string text = csvOf(folder, {.phase = Phase::kBackward});
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
}

TEST_CASE("--steps, --last, --operations and --nccl choose the table; a module filter keeps its rows") {
  SampleRun folder = sampleFolder();
  folder.files[0].report.steps = {{0, 1, 1, 2, 1, 1, {{Kind::kAllReduce, "0", 3, 300}}}};
  folder.files[1].report.steps.clear();
  folder.files[0].report.operations = {{"net1", Phase::kForward, "aten.linear", true, 2}};
  const auto rows_of = [&folder](const ShowFilter& filter) {
    const std::string text = csvOf(folder, filter);
    return std::count(text.begin(), text.end(), '\n') - 1;
  };
  CHECK(has(csvOf(folder, {.steps = true}), ",first_step,"));
  CHECK(rows_of({.steps = true}) == 1);
  CHECK(rows_of({.operations = true}) == 1);
  CHECK(rows_of({.module = "net2", .operations = true}) == 0);
  CHECK(rows_of({.last = 1}) == 2);
  CHECK(rows_of({.last = 100}) == 2 * static_cast<std::ptrdiff_t>(folder.files[0].report.last.size()));
  CHECK(rows_of({.nccl = true}) == 0);
  CHECK(rows_of({.module = "**.net1"}) == 2);
}

TEST_CASE("what csv cannot follow is an error that names the option") {
  const auto error_of = [](const ShowFilter& filter) { return csvTableOf(filter).error(); };
  CHECK(error_of({.depth = 1}).starts_with("--depth does not change"));
  CHECK(error_of({.sort = SortBy::kBytes}).starts_with("--sort "));
  CHECK(error_of({.top = 1}).starts_with("--top "));
  CHECK(error_of({.per_step = true}).starts_with("--per-step "));
  CHECK(error_of({.all = true}).starts_with("--all "));
  CHECK(error_of({.time = true}).starts_with("--time "));
  CHECK(error_of({.phase = Phase::kForward, .steps = true}).starts_with("--phase "));
  CHECK(
      error_of({.steps = true, .last = 1}) ==
      "csv holds one table: give one of --steps, --last, --operations and --nccl");
}

} // namespace
} // namespace commtap
