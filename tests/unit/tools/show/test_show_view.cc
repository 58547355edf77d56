// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_view.h"

#include <doctest/doctest.h>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

TEST_CASE("a view covers all ranks or one rank") {
  const SampleRun folder = sampleFolder();
  CHECK(viewOf(folder, {}).job.processes.size() == 2);
  CHECK(countOf(viewOf(folder, {}).job.ranks) == 2);
  CHECK(sumOf(amountsOf(viewOf(folder, {}, 2).job), {}, {}).count == 4);
}

TEST_CASE("details are collected only if the filter asks for them") {
  SampleRun folder = sampleFolder();
  folder.files[0].report.steps = {{0, 1, 1, 2, 1, 1, {{Kind::kAllReduce, "0", 3, 300}}}};
  CHECK(viewOf(folder, {}).steps.sums().empty());
  CHECK(viewOf(folder, {.steps = true}).steps.sums().size() == 1);
  CHECK(viewOf(folder, {}).last.empty());
  CHECK(viewOf(folder, {.last = 10}).last.size() == 2 * folder.files[0].report.last.size());
  CHECK(viewOf(folder, {.last = 1}).last.size() == 2);
  CHECK(viewOf(folder, {.module = "Global", .last = 10}).last.size() < viewOf(folder, {.last = 10}).last.size());
}

TEST_CASE("sums of details that stop at the largest number are named") {
  SampleRun folder = sampleFolder();
  for (auto& file : folder.files) {
    file.report.steps = {{0, 1, 1, 2, UINT64_MAX, UINT64_MAX, {}}};
    file.report.operations = {{"Global", Phase::kForward, "aten.mm", false, UINT64_MAX - 1}};
  }
  const std::vector<std::string> problems = viewOf(folder, {.operations = true, .steps = true}).job.problems;
  REQUIRE(problems.size() == 3);
  CHECK(problems[0].find("the sum of a step's forward_passes is more than") != std::string::npos);
  CHECK(problems[1].find("the sum of a step's backward_passes is more than") != std::string::npos);
  CHECK(problems[2].find("the sum of operations is more than") != std::string::npos);
  CHECK(viewOf(folder, {}).job.problems.empty());
}

TEST_CASE("a module has a row per phase and kind, and a row for calls without collectives") {
  const SampleRun folder = sampleFolder();
  const ShowView view = viewOf(folder, {});
  const ModuleRows tree = moduleRows(view);
  REQUIRE(tree.rows.size() == 7);
  CHECK(tree.rows[0].module->name == "Global");
  CHECK(tree.rows[0].first_of_module);
  CHECK(tree.rows[0].kind == Kind::kAllGather);
  CHECK(tree.rows[0].own.count == 0);
  CHECK(tree.rows[0].inclusive.count == 4);
  CHECK_FALSE(tree.rows[1].first_of_module);
  CHECK(tree.rows[1].first_of_phase);
  CHECK(tree.rows[6].module->name == "DistributedDataParallel.net2");
  CHECK_FALSE(tree.rows[6].kind);
}

TEST_CASE("modules are sorted by their own numbers, and only the first are listed") {
  const SampleRun folder = sampleFolder();
  const auto names_of = [&folder](const ShowFilter& filter) {
    const ShowView view = viewOf(folder, filter);
    std::vector<std::string> names;
    for (const ModuleRow& row : moduleRows(view).rows) {
      if (row.first_of_module) {
        names.push_back(row.module->name);
      }
    }
    return names;
  };
  using Names = std::vector<std::string>;
  const std::string ddp = "DistributedDataParallel";
  CHECK(names_of({.sort = SortBy::kBytes}) == Names{ddp + ".net1", ddp, "Global", ddp + ".net2"});
  CHECK(names_of({.sort = SortBy::kCount, .top = 1}) == Names{ddp + ".net1"});
  CHECK(names_of({.top = 2}) == Names{ddp + ".net1", ddp});
  CHECK(names_of({.sort = SortBy::kCalls}).back() == "Global");
  CHECK(names_of({.module = "**.net*"}) == Names{ddp + ".net1", ddp + ".net2"});
  const ShowView view = viewOf(folder, {.top = 3});
  CHECK(moduleRows(view).beyond_top == 1);
}

TEST_CASE("phase and depth omit rows and modules") {
  const SampleRun folder = sampleFolder();
  ShowFilter filter;
  filter.phase = Phase::kBackward;
  filter.depth = 1;
  const ShowView view = viewOf(folder, filter);
  const ModuleRows tree = moduleRows(view);
  REQUIRE(tree.rows.size() == 2);
  CHECK(tree.rows[1].own.count == 2);
  CHECK(tree.too_deep == 2);
}

TEST_CASE("a large tree omits and counts modules without collectives") {
  SampleRun folder = sampleFolder();
  for (uint32_t i = 5; i < 50; ++i) {
    Module module = folder.files[0].report.modules[4];
    module.id = i;
    module.name = "DistributedDataParallel.extra" + std::to_string(i);
    folder.files[0].report.modules.push_back(module);
  }
  const ShowView view = viewOf(folder, {});
  const ModuleRows tree = moduleRows(view);
  CHECK(tree.without_collectives == 46);
  CHECK(tree.rows.size() == 6);
  ShowFilter filter;
  filter.all = true;
  const ShowView all = viewOf(folder, filter);
  CHECK(moduleRows(all).without_collectives == 0);
}

} // namespace
} // namespace commtap
