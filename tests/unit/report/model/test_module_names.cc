// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/module_tree.h"

#include <doctest/doctest.h>

#include "report/ledger/ledger_format.h"

namespace commtap {
namespace {

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

} // namespace
} // namespace commtap
