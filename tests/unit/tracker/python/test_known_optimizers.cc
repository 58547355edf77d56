// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/sampled_step.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

class OptimizersFixture {
 protected:
  /// Returns the number and the step of the optimizer that `expression` names: "0: 1".
  std::string begin(const char* expression) {
    const KnownOptimizers::Step step = known_.begins(python_[expression].get());
    CHECK(PyErr_Occurred() == nullptr);
    return std::to_string(step.optimizer) + ": " + std::to_string(step.step);
  }

  const EmbeddedPython python_{"class Optimizer: pass\none, other = Optimizer(), Optimizer()"};
  KnownOptimizers known_;
};

TEST_CASE_FIXTURE(OptimizersFixture, "optimizers are numbered in the order of their first steps, steps by optimizer") {
  CHECK(begin("other") == "0: 1");
  CHECK(begin("one") == "1: 1");
  CHECK(begin("other") == "0: 2");
  CHECK(begin("other") == "0: 3");
  CHECK(begin("one") == "1: 2");
}

TEST_CASE_FIXTURE(
    OptimizersFixture,
    "the live optimizers are in the order of their first steps, and die as they would") {
  begin("other");
  begin("one");
  REQUIRE(known_.live().size() == 2);
  CHECK(known_.live()[0].get() == python_["other"].get());
  CHECK(referencesTo(python_["one"]) == 2);
  python_.run("del other");
  REQUIRE(known_.live().size() == 1);
  CHECK(known_.live()[0].get() == python_["one"].get());
}

TEST_CASE_FIXTURE(OptimizersFixture, "an optimizer at the address of one that has died is another one") {
  begin("one");
  begin("one");
  python_.run("del one");
  python_.run("more = [Optimizer() for _ in range(100)]"); // one of them takes the address
  for (int i = 0; i < 100; ++i) {
    const std::string expression = "more[" + std::to_string(i) + "]";
    CHECK(begin(expression.c_str()) == std::to_string(i + 1) + ": 1");
  }
  CHECK(known_.live().size() == 100);
}

TEST_CASE_FIXTURE(OptimizersFixture, "the steps of an object without weak references are not numbered") {
  python_.run("class Slotted: __slots__ = ()\nslotted = Slotted()");
  CHECK(begin("slotted") == "0: 0");
  CHECK(known_.live().empty());
  CHECK(begin("one") == "0: 1");
}

} // namespace
} // namespace commtap
