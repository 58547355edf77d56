// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/parameter_facts.h"

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

TEST_CASE("a tensor is of the nearest known class that it inherits from") {
  const FakeTorch torch(R"(
class Sharded(DTensor): pass
class FakeTensor(Tensor): pass
class FunctionalTensor(Tensor): pass
class Traced(FakeTensor): pass
class Mine(Tensor): pass
def empty(type): return type.__new__(type)
)");
  const auto class_of = [&](const char* expression) { return tensorClass(torch[expression].get()); };
  CHECK(class_of("empty(DTensor)") == kCommtapDtensor);
  CHECK(class_of("empty(Sharded)") == kCommtapDtensor);
  CHECK(class_of("empty(FakeTensor)") == kCommtapTracedTensor);
  CHECK(class_of("empty(FunctionalTensor)") == kCommtapTracedTensor);
  CHECK(class_of("empty(Traced)") == kCommtapTracedTensor);
  CHECK(class_of("empty(Mine)") == kCommtapPlainTensor);
  CHECK(class_of("17") == kCommtapPlainTensor);
}

} // namespace
} // namespace commtap
