// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/payload.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/Types.hpp>

#include <string>

#include "tests/unit/tracker_fixture.h"
#include "tracker/recorder.h"

namespace commtap {
namespace {

std::string textOf(StringId id) {
  return std::string(Recorder::get().ledger().text(id));
}

TEST_CASE("bytes are elements times their size, of one tensor or of any list of them") {
  const at::Tensor floats = at::zeros({3, 5}, at::kFloat);
  const at::Tensor halves = at::zeros({4}, at::kBFloat16);
  CHECK(payloadOf(floats).bytes == 60);
  CHECK(payloadOf(c10::List<at::Tensor>({floats, halves})).bytes == 68);
  const c10::List<c10::List<at::Tensor>> nested(
      {c10::List<at::Tensor>({floats}), c10::List<at::Tensor>({halves, halves})});
  CHECK(payloadOf(nested).bytes == 76);
  CHECK((payloadOf(nested).dtype == at::kFloat));
  CHECK(payloadOf(at::zeros({0}, at::kDouble)).bytes == 0);
}

TEST_CASE("a view counts what it shows, and an argument without a tensor nothing") {
  CHECK(payloadOf(at::zeros({10, 10}, at::kFloat).select(1, 0)).bytes == 40);
  CHECK(payloadOf(at::Tensor()).bytes == 0);
  CHECK(payloadOf(c10::IValue()).bytes == 0);
  CHECK((payloadOf(c10::IValue(7)).dtype == at::ScalarType::Undefined));
}

TEST_CASE("a sparse tensor counts its values") {
  const at::Tensor indices = at::zeros({1, 2}, at::kLong);
  const at::Tensor sparse = at::sparse_coo_tensor(indices, at::ones({2}, at::kFloat), {100});
  CHECK(payloadOf(sparse).bytes == 8);
}

TEST_CASE("the memory of the first tensor") {
  const at::Tensor tensor = at::zeros({8});
  CHECK(firstStorage(tensor) == tensor.storage().data());
  CHECK(firstStorage(tensor.slice(0, 4)) == tensor.storage().data());
  CHECK(firstStorage(c10::List<at::Tensor>({tensor, at::ones({1})})) == tensor.storage().data());
  CHECK(firstStorage(c10::IValue(7)) == nullptr);
}

TEST_CASE_FIXTURE(TrackerFixture, "names of types and reductions") {
  CHECK(textOf(dtypeName(payloadOf(at::zeros({1}, at::kFloat)))) == "float32");
  CHECK(textOf(dtypeName(payloadOf(at::zeros({1}, at::kBFloat16)))) == "bfloat16");
  CHECK(textOf(dtypeName(payloadOf(at::zeros({1}, at::kLong)))) == "int64");
  CHECK(dtypeName(Payload()) == 0);
  const auto reduceOp = [](c10d::ReduceOp::RedOpType type) {
    return c10::IValue(c10::make_intrusive<c10d::ReduceOp>(type));
  };
  CHECK(textOf(reduceOpName(reduceOp(c10d::ReduceOp::SUM))) == "sum");
  CHECK(textOf(reduceOpName(reduceOp(c10d::ReduceOp::MAX))) == "max");
  CHECK(textOf(reduceOpName(reduceOp(c10d::ReduceOp::BXOR))) == "bxor");
  CHECK(textOf(reduceOpName(c10::IValue("avg"))) == "avg");
  CHECK(reduceOpName(c10::IValue(3)) == 0);
}

} // namespace
} // namespace commtap
