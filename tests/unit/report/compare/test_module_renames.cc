// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/module_renames.h"

#include <doctest/doctest.h>

#include "report/compare/job_diff.h"
#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("whole components are renamed, at every place") {
  const std::vector<ModuleRename> renames = {*parseRename("base_layer="), *parseRename("Peft.model=Llama")};
  CHECK(renamed("Peft.model.layers.0.q.base_layer", renames) == "Llama.layers.0.q");
  CHECK(renamed("Peft.models.base_layers", renames) == "Peft.models.base_layers");
  CHECK(renamed("Net.base_layer.a.base_layer", renames) == "Net.a");
  CHECK(renamed("base_layer", renames) == "base_layer"); // no name would be left
  CHECK(renamed("", renames).empty());                   // padding
}

TEST_CASE("a rename names what it replaces") {
  CHECK(parseRename("x").error().find("is not OLD=NEW") != std::string::npos);
  CHECK_FALSE(parseRename("=x"));
}

TEST_CASE("rows of a wrapped module are compared with those of the module") {
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather).module = "Lora.model.net1.base_layer";
  }
  JobReport wrapped = jobOf(reports);
  const JobReport plain = sampleJob();
  const auto changes = [&] {
    const auto [before, after] = comparableCells(plain, wrapped);
    return changesBetween(before, after, comparedRanks(plain, wrapped), {}).size();
  };
  CHECK(changes() == 2);
  renameModules({*parseRename("Lora.model=DistributedDataParallel"), *parseRename("base_layer=")}, wrapped);
  CHECK(changes() == 0);
}

} // namespace
} // namespace commtap
