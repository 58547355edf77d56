// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/module_tree.h"

#include <vector>

#include <doctest/doctest.h>

#include "report/ledger/ledger_format.h"

namespace commtap {
namespace {

Module module(uint32_t id, std::optional<uint32_t> parent, const std::string& name, uint64_t forward_calls = 0) {
  Module module;
  module.id = id;
  module.parent = parent;
  module.name = module.raw_name = name;
  module.class_name = "C" + std::to_string(id);
  module.calls[static_cast<size_t>(Phase::kForward)] = forward_calls;
  return module;
}

Report reportOf(std::vector<Module> modules) {
  Report report;
  report.modules = std::move(modules);
  return report;
}

std::vector<std::string> namesOf(const std::vector<ModuleNode>& modules) {
  std::vector<std::string> names;
  for (const ModuleNode& totals : modules) {
    names.push_back(std::string(totals.depth, ' ') + totals.name);
  }
  return names;
}

using Names = std::vector<std::string>;
const Module kGlobal = module(0, std::nullopt, "Global");

TEST_CASE("a ModuleTree without reports has only Global") {
  CHECK(namesOf(ModuleTree().take()) == Names{"Global"});
}

TEST_CASE("children follow their parent in id order, even if they were seen first") {
  ModuleTree tree;
  tree.add(reportOf({kGlobal, module(1, 3, "M.a"), module(2, 3, "M.b"), module(3, 0, "M"), module(4, 1, "M.a.x")}));
  CHECK(namesOf(tree.take()) == Names{"Global", " M", "  M.a", "   M.a.x", "  M.b"});
}

TEST_CASE("a wrapper and its module are one module, whose calls count once") {
  ModuleTree tree;
  const Report report = reportOf({kGlobal, module(1, 0, "M", 3), module(2, 1, "M", 3), module(3, 2, "M.a", 3)});
  tree.add(report);
  const std::vector<ModuleNode> modules = tree.take();
  CHECK(namesOf(modules) == Names{"Global", " M", "  M.a"});
  CHECK(cleanCalls(report)["M"][0] == 3);
  CHECK(modules[1].class_name == "C2");
}

TEST_CASE("a module has the wrappers of all modules of its name, in whatever order they were seen") {
  Module outer = module(1, 0, "M", 3); // fully_shard(checkpoint_wrapper(M))
  outer.wrappers = {"FSDPModule"};
  Module inner = module(2, 1, "M", 3);
  inner.wrappers = {"CheckpointWrapper"};
  for (const auto& modules : {std::vector{kGlobal, outer, inner}, std::vector{kGlobal, inner, outer}}) {
    ModuleTree tree;
    tree.add(reportOf(modules));
    tree.add(reportOf(modules));
    CHECK(tree.take().at(1).wrappers == Names{"FSDPModule", "CheckpointWrapper"});
  }
}

TEST_CASE("trees of several ranks are joined") {
  ModuleTree tree;
  tree.add(reportOf({kGlobal, module(1, 0, "M", 1), module(2, 1, "M.stage0", 1)}));
  tree.add(reportOf({kGlobal, module(1, 0, "M", 1), module(2, 1, "M.stage1", 1)}));
  const std::vector<ModuleNode> modules = tree.take();
  CHECK(namesOf(modules) == Names{"Global", " M", "  M.stage0", "  M.stage1"});
}

TEST_CASE("a module that only collectives name is a child of Global") {
  ModuleTree tree;
  tree.own("lost")[{Phase::kForward, Kind::kSend}] += {1, 2, 3};
  const std::vector<ModuleNode> modules = tree.take();
  CHECK(namesOf(modules) == Names{"Global", " lost"});
  CHECK(sumOf(modules[0].inclusive, {}, {}).bytes == 2);
}

TEST_CASE("ModuleTree breaks cycles without losing or duplicating amounts") {
  ModuleTree tree;
  tree.add(reportOf(
      {kGlobal, module(1, 2, "a"), module(2, 1, "b"), module(3, 3, "c"), module(4, 5, "d"), module(5, 4, "d")}));
  tree.own("a")[{Phase::kForward, Kind::kSend}] += {1, 0, 0};
  tree.own("b")[{Phase::kForward, Kind::kSend}] += {1, 0, 0};
  const std::vector<ModuleNode> modules = tree.take();
  CHECK(modules.size() == 5);
  CHECK(sumOf(modules[0].inclusive, {}, {}).count == 2);
}

TEST_CASE("a label is the name below the parent") {
  CHECK(ModuleNode{.name = "Net.net1"}.label("Net") == "net1");
  CHECK(ModuleNode{.name = "Net"}.label("Global") == "Net");
  CHECK(ModuleNode{.name = "Global"}.label("Global") == "Global");
}

TEST_CASE("a very deep tree is no deep recursion") {
  std::vector<Module> chain = {kGlobal};
  for (uint32_t i = 1; i < 100'000; ++i) {
    chain.push_back(module(i, i - 1, "m" + std::to_string(i)));
  }
  ModuleTree tree;
  tree.add(reportOf(std::move(chain)));
  CHECK(tree.take().back().depth == 99'999);
}

ModuleNames sample() {
  ModuleNames names;
  names.add(kNoIndex, "Global", false);
  names.add(0, "OptimizedModule", false);
  names.add(1, "_orig_mod", true);
  names.add(2, "layers.0", false);
  names.add(3, "_checkpoint_wrapped_module", true);
  names.add(4, "up", false);
  return names;
}

TEST_CASE("Global is not a component of other module names") {
  CHECK(sample().clean(0) == "Global");
  CHECK(sample().raw(1) == "OptimizedModule");
}

TEST_CASE("the raw name includes wrappers, the clean name does not") {
  CHECK(sample().clean(5) == "OptimizedModule.layers.0.up");
  CHECK(sample().raw(5) == "OptimizedModule._orig_mod.layers.0._checkpoint_wrapped_module.up");
  CHECK(sample().clean(4) == sample().clean(3));
}

TEST_CASE("a name ends at a cycle or a missing parent") {
  ModuleNames names;
  names.add(kNoIndex, "Global", false);
  names.add(2, "a", false);
  names.add(1, "b", false);
  names.add(77, "lost", false);
  CHECK(names.clean(1).size() < 10000);
  CHECK(names.clean(3) == "lost");
  CHECK(names.clean(99).empty());
}

TEST_CASE("UniqueNames appends #2 to the second of two equal names") {
  UniqueNames names;
  CHECK(names.make("0") == "0");
  CHECK(names.make("0") == "0#2");
  CHECK(names.make("1") == "1");
  CHECK(names.make("0") == "0#3");
}

TEST_CASE("skeletonOf replaces components that are numbers") {
  CHECK(skeletonOf("Net.layers.12.attention") == "Net.layers.*.attention");
  CHECK(skeletonOf("Net.12.3") == "Net.*.*");
  CHECK(skeletonOf("Net.w1") == "Net.w1");
  CHECK(skeletonOf("").empty());
}

TEST_CASE("patternOf has a star only where the names differ") {
  const std::vector<std::string> several = {"Net.1.layers.0.a", "Net.1.layers.10.a"};
  CHECK(patternOf(several) == "Net.1.layers.*.a");
  CHECK(patternOf(std::vector<std::string>{"Net.1.a"}) == "Net.1.a");
}

} // namespace
} // namespace commtap
