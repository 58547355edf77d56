// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/op_table.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace commtap {
namespace {

TEST_CASE("every op of this torch in a hooked namespace is in the table, or known not to be a collective") {
  int found = 0;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!isCollectiveNamespace(name.name) || isNoCollective(name.name)) {
      continue;
    }
    CAPTURE(name.name);
    CHECK(findOpSpec(name.name) != nullptr);
    ++found;
  }
  CHECK(found >= 40);
}

TEST_CASE("the argument that holds an op's payload exists in its schema, and holds tensors") {
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const OpSpec* spec = findOpSpec(name.name);
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (spec == nullptr || !op || spec->payload == PayloadRule::kNone || !isCollectiveNamespace(name.name)) {
      continue;
    }
    CAPTURE(name.name);
    const auto& arguments = op->schema().arguments();
    CHECK(std::any_of(arguments.begin(), arguments.end(), [&](const c10::Argument& argument) {
      return argument.name() == spec->payload_argument && argument.type()->str().rfind("Tensor", 0) == 0;
    }));
  }
}

TEST_CASE("every row of the table is found by its name, and only by that") {
  const std::vector<OpSpec> ops = knownOps();
  CHECK(ops.size() > 160);
  for (const OpSpec& spec : ops) {
    CAPTURE(spec.name);
    const OpSpec* found = findOpSpec(spec.name);
    REQUIRE(found != nullptr);
    CHECK(found->name == spec.name);
    CHECK(found->payload_argument == spec.payload_argument);
    CHECK(findOpSpec(std::string(spec.name) + "x") == nullptr);
    CHECK_FALSE(isNoCollective(spec.name));
    CHECK((spec.payload == PayloadRule::kNone) == (spec.kind == Kind::kBarrier));
  }
  CHECK(findOpSpec("") == nullptr);
  CHECK(findOpSpec("zzz::op") == nullptr);
}

std::string pageRowOf(const OpSpec& spec) {
  const std::string argument =
      spec.payload_argument.empty() ? "the first tensor" : "`" + std::string(spec.payload_argument) + "`";
  std::string bytes = argument;
  if (spec.payload == PayloadRule::kNone) {
    bytes = "none";
  } else if (spec.payload == PayloadRule::kArgumentTimesGroup) {
    bytes += " times the group's size";
  } else if (spec.payload == PayloadRule::kMatrixProduct) {
    bytes = "the product of " + argument + " and `B`";
  }
  return "| `" + std::string(spec.name) + "` | `" + std::string(kindName(spec.kind)) + "` | " + bytes + " |";
}

TEST_CASE("every line of library_ops.txt has a kind and no fault, and the lines are in the order of their names") {
  std::ifstream file(COMMTAP_SOURCE_ROOT "/tracker/collectives/library_ops.txt");
  REQUIRE(file);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line == "R\"(" || line == ")\"") {
      continue;
    }
    CAPTURE(line);
    const ParsedOp parsed = parseOpLine(line);
    CHECK(parsed.fault == "");
    CHECK(parsed.op.kind != Kind::kOther);
    CHECK_FALSE(isCollectiveNamespace(parsed.op.name));
    CHECK(findOpSpec(parsed.op.name) != nullptr);
    names.emplace_back(parsed.op.name);
  }
  CHECK(names.size() > 80);
  CHECK(std::is_sorted(names.begin(), names.end()));
}

TEST_CASE("a line of COMMTAP_OPS adds an op or replaces one of a library, but none of torch") {
  setUserOps(
      {"mylib::exchange all_to_all input*group",
       "vllm::all_reduce all_gather x",
       "c10d::allreduce_ gather x",
       "mylib::*",
       "nonsense"});
  REQUIRE(findOpSpec("mylib::exchange") != nullptr);
  CHECK(findOpSpec("mylib::exchange")->kind == Kind::kAllToAll);
  CHECK(findOpSpec("mylib::exchange")->payload == PayloadRule::kArgumentTimesGroup);
  CHECK(findOpSpec("mylib::exchange")->payload_argument == "input");
  CHECK(findOpSpec("vllm::all_reduce")->kind == Kind::kAllGather);
  CHECK(findOpSpec("c10d::allreduce_")->kind == Kind::kAllReduce);
  CHECK(findOpSpec("mylib::other") == nullptr); // of kind other
  CHECK(isUserOp("mylib::other"));
  CHECK_FALSE(isUserOp("nonsense"));
  setUserOps({});
  CHECK(findOpSpec("vllm::all_reduce")->kind == Kind::kAllReduce);
  CHECK_FALSE(isUserOp("mylib::other"));
}

TEST_CASE("docs/ops.md lists the table; ./dev docs makes it") {
  std::ifstream page(COMMTAP_SOURCE_ROOT "/docs/ops.md");
  REQUIRE(page);
  std::set<std::string> listed;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `", 0) == 0 && line.find("::") != std::string::npos) {
      CHECK(listed.insert(line).second);
    }
  }
  std::set<std::string> wanted;
  for (const OpSpec& spec : knownOps()) {
    wanted.insert(pageRowOf(spec));
  }
  std::vector<std::string> differences;
  std::set_symmetric_difference(
      listed.begin(), listed.end(), wanted.begin(), wanted.end(), std::back_inserter(differences));
  CHECK(differences == std::vector<std::string>{});
}

TEST_CASE("namespaces") {
  CHECK(isCollectiveNamespace("c10d::anything_new"));
  CHECK(isCollectiveNamespace("_dtensor::shard_dim_alltoall"));
  CHECK_FALSE(isCollectiveNamespace("_dtensor::other"));
  CHECK_FALSE(isCollectiveNamespace("c10d_functional::all_reduce")); // its ops only call those of _c10d_functional
  CHECK_FALSE(isCollectiveNamespace("aten::add"));
  CHECK_FALSE(isCollectiveNamespace("vllm::all_reduce")); // only the ops in the table
  CHECK(findOpSpec("vllm::all_reduce") != nullptr);
  CHECK(isNoCollective("_c10d_functional::wait_tensor"));
  CHECK(isNoCollective("_c10d_functional::wait_tensors"));
  CHECK_FALSE(isNoCollective("c10d::allreduce_"));
}

TEST_CASE("patterns are names, or prefixes that end in *") {
  CHECK(matchesOpPattern("mylib::exchange", "mylib::exchange"));
  CHECK(matchesOpPattern("mylib::exchange", "mylib::*"));
  CHECK_FALSE(matchesOpPattern("mylib::exchange", "mylib::ex"));
  CHECK_FALSE(matchesOpPattern("mylib::exchange", ""));
}

} // namespace
} // namespace commtap
