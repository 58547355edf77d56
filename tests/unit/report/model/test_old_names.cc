// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/old_names.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

Module moduleOf(uint32_t id, uint32_t parent, const char* name, const char* class_name) {
  Module module;
  module.id = id;
  module.parent = parent;
  module.name = name;
  module.class_name = class_name;
  return module;
}

TEST_CASE("a root gets the user's class, whichever wrapper or swapped class gave it its name") {
  CHECK(
      renamedRoots({{"DistributedDataParallel", "Net"}, {"FSDPTransformer", "FSDPTransformer"}, {"Plain", "Plain"}}) ==
      RenamedRoots{{"DistributedDataParallel", "Net"}, {"FSDPTransformer", "Transformer"}});
  CHECK(renamedRoots({{"Twice#2", "Twice"}, {"scope", ""}, {"FSDP", "FSDP"}, {"FSDPs", "FSDPs"}}).empty());
}

TEST_CASE("two roots of one class keep apart") {
  CHECK(
      renamedRoots({{"DistributedDataParallel", "Net"}, {"DistributedDataParallel#2", "Net"}, {"Net", "Net"}}) ==
      RenamedRoots{{"DistributedDataParallel", "Net#2"}, {"DistributedDataParallel#2", "Net#3"}});
}

TEST_CASE("only the root of a name is replaced") {
  const RenamedRoots roots = {{"Old", "New"}};
  for (const auto& [before, after] :
       {std::pair("Old.layers.0", "New.layers.0"), {"Old", "New"}, {"Older.Old", "Older.Old"}, {"", ""}}) {
    std::string name = before;
    renameRoot(name, roots);
    CHECK(name == after);
  }
}

TEST_CASE("every table of an old report follows") {
  Report report;
  report.modules = {moduleOf(1, 0, "Ddp", "Ddp"), moduleOf(2, 1, "Ddp", "Net"), moduleOf(3, 2, "Ddp.up", "Linear")};
  report.collectives.resize(1);
  report.collectives[0].module = "Ddp";
  report.collectives[0].issued_in = "Ddp.up";
  report.last.resize(1);
  report.last[0].module = report.last[0].issued_in = "Ddp.up";
  report.operations.emplace().resize(1);
  report.operations->front().module = "Ddp.up";
  report.nccl.emplace().calls.resize(1);
  report.nccl->calls[0].module = "Ddp";
  report.cuda_graphs.resize(1);
  report.cuda_graphs[0].collectives.resize(1);
  report.cuda_graphs[0].collectives[0].module = "Global";
  upgradeNames(report);
  CHECK(report.is_old);
  CHECK(report.renamed == RenamedRoots{{"Ddp", "Net"}});
  CHECK(report.modules[0].name == "Net");
  CHECK(report.modules[2].name == "Net.up");
  CHECK(report.collectives[0].module == "Net");
  CHECK(report.collectives[0].issued_in == "Net.up");
  CHECK(report.last[0].module == "Net.up");
  CHECK(report.last[0].issued_in == "Net.up");
  CHECK(report.operations->front().module == "Net.up");
  CHECK(report.nccl->calls[0].module == "Net");
  CHECK(report.cuda_graphs[0].collectives[0].module == "Global");
}

} // namespace
} // namespace commtap
