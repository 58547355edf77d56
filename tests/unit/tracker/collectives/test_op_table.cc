// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/op_table.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <string>

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

TEST_CASE("the argument that holds an op's payload exists in its schema") {
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const OpSpec* spec = findOpSpec(name.name);
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (spec == nullptr || !op || spec->payload == PayloadRule::kNone) {
      continue;
    }
    CAPTURE(name.name);
    const auto& arguments = op->schema().arguments();
    CHECK(std::any_of(arguments.begin(), arguments.end(), [&](const c10::Argument& argument) {
      return argument.name() == spec->payload_argument;
    }));
  }
}

TEST_CASE("namespaces") {
  CHECK(isCollectiveNamespace("c10d::anything_new"));
  CHECK(isCollectiveNamespace("_dtensor::shard_dim_alltoall"));
  CHECK_FALSE(isCollectiveNamespace("_dtensor::other"));
  CHECK_FALSE(isCollectiveNamespace("c10d_functional::all_reduce")); // its ops only call those of _c10d_functional
  CHECK_FALSE(isCollectiveNamespace("aten::add"));
  CHECK(isNoCollective("_c10d_functional::wait_tensor"));
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
