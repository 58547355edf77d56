// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/torch/compat.h"

#include <ATen/ATen.h>

#include "tests/unit/torch_doctest.h"

namespace commtap {
namespace {

TEST_CASE("a thread's sequence number and backward are torch's own, in a backward too") {
  CHECK_FALSE(compat::inBackward());
  const at::Tensor leaf = at::ones({2}).requires_grad_();
  const uint64_t before = compat::nextSequenceNumber();
  const at::Tensor sum = leaf.mul(2).sum();
  CHECK(compat::nextSequenceNumber() > before);
  bool seen = false;
  leaf.register_hook([&](const at::Tensor&) { seen = compat::inBackward() && compat::graphTask() >= 0; });
  sum.backward();
  CHECK(seen);
  CHECK_FALSE(compat::inBackward());
}

} // namespace
} // namespace commtap
