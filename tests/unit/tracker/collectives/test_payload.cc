// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/payload.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/Types.hpp>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/tracker_fixture.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

std::string nameOf(StringId id) {
  return std::string(ProcessLedger::ledger().text(id));
}

Payload payload(const c10::IValue& boxed) {
  return payloadOf(boxed);
}

const void* storage(const c10::IValue& boxed) {
  const at::Tensor* first = firstTensor(boxed);
  return first != nullptr && first->defined() && first->has_storage() ? first->storage().data() : nullptr;
}

TEST_CASE("bytes are elements times their size, of one tensor or of any list of them") {
  const at::Tensor floats = at::zeros({3, 5}, at::kFloat);
  const at::Tensor halves = at::zeros({4}, at::kBFloat16);
  CHECK(payload(floats).bytes == 60);
  CHECK(payload(c10::List<at::Tensor>({floats, halves})).bytes == 68);
  const c10::List<c10::List<at::Tensor>> nested(
      {c10::List<at::Tensor>({floats}), c10::List<at::Tensor>({halves, halves})});
  CHECK(payload(nested).bytes == 76);
  CHECK((payload(nested).dtype == at::kFloat));
  CHECK(payload(at::zeros({0}, at::kDouble)).bytes == 0);
}

TEST_CASE("a view counts what it shows, and an argument without a tensor nothing") {
  CHECK(payload(at::zeros({10, 10}, at::kFloat).select(1, 0)).bytes == 40);
  CHECK(payload(at::Tensor()).bytes == 0);
  CHECK(payload(c10::IValue()).bytes == 0);
  CHECK((payload(c10::IValue(7)).dtype == at::ScalarType::Undefined));
}

TEST_CASE("a sparse tensor counts its values") {
  const at::Tensor indices = at::zeros({1, 2}, at::kLong);
  const at::Tensor sparse = at::sparse_coo_tensor(indices, at::ones({2}, at::kFloat), {100});
  CHECK(payload(sparse).bytes == 8);
}

TEST_CASE("arguments in their C++ types hold what boxed ones do") {
  const at::Tensor floats = at::zeros({3, 5}, at::kFloat);
  const std::vector<at::Tensor> list{at::zeros({4}, at::kBFloat16), floats};
  const std::vector<std::vector<at::Tensor>> lists{{}, list, {floats}};
  CHECK(payloadOf(argumentOf(floats)).bytes == 60);
  CHECK(payloadOf(argumentOf(at::TensorList(list))).bytes == 68);
  CHECK((payloadOf(argumentOf(at::TensorList(list))).dtype == at::kBFloat16));
  CHECK(payloadOf(argumentOf(lists)).bytes == 128);
  CHECK(firstTensor(argumentOf(lists)) == lists[1].data());
  CHECK(payloadOf(argumentOf(int64_t{7})).bytes == 0);
  CHECK(isTrue(argumentOf(true)));
  CHECK_FALSE(isTrue(argumentOf(false)));
  CHECK(processGroupOf(argumentOf(floats)) == nullptr);
}

TEST_CASE("the memory of the first tensor") {
  const at::Tensor tensor = at::zeros({8});
  CHECK(storage(tensor) == tensor.storage().data());
  CHECK(storage(tensor.slice(0, 4)) == tensor.storage().data());
  CHECK(storage(c10::List<at::Tensor>({tensor, at::ones({1})})) == tensor.storage().data());
  CHECK(storage(c10::IValue(7)) == nullptr);
}

TEST_CASE_FIXTURE(TrackerFixture, "names of types and reductions") {
  CHECK(nameOf(dtypeName(at::kFloat)) == "float32");
  CHECK(nameOf(dtypeName(at::kBFloat16)) == "bfloat16");
  CHECK(nameOf(dtypeName(at::kLong)) == "int64");
  CHECK(dtypeName(Payload().dtype) == 0);
  for (const auto& [type, name] :
       {std::pair(c10d::ReduceOp::SUM, "sum"),
        std::pair(c10d::ReduceOp::MAX, "max"),
        std::pair(c10d::ReduceOp::BXOR, "bxor")}) {
    const auto object = c10::make_intrusive<c10d::ReduceOp>(type);
    const c10::IValue boxed(object);
    CHECK(nameOf(reduceOpName(argumentOf(object))) == name);
    CHECK(nameOf(reduceOpName(boxed)) == name);
  }
  const c10::IValue text("avg");
  const c10::IValue number(3);
  CHECK(nameOf(reduceOpName(text)) == "avg");
  CHECK(reduceOpName(number) == 0);
}

TEST_CASE_FIXTURE(TrackerFixture, "a name that one thread makes, another reads") {
  constexpr int kNames = 2'000;
  constexpr std::array kDtypes{at::kDouble, at::kHalf, at::kShort, at::kChar, at::kByte, at::kBool};
  std::vector<int> wrong(2);
  std::vector<std::thread> threads;
  for (int& each : wrong) {
    threads.emplace_back([&each, kDtypes] {
      for (int i = 0; i < kNames; i++) {
        const std::string name = "reduction" + std::to_string(i);
        each += nameOf(reduceOpName(c10::IValue(name))) != name;
        each += nameOf(dtypeName(kDtypes[i % kDtypes.size()])).empty();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(wrong == std::vector<int>{0, 0});
}

} // namespace
} // namespace commtap
