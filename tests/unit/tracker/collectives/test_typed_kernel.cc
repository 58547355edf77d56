// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/collective_kernel.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <string>
#include <tuple>

#include "tests/unit/tracker/collectives/op_handles.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/collectives/registration.h"
#include "tracker/torch/typed_ops.h"

namespace commtap {
namespace {

/// Checks that the op can be called with these types and has a typed kernel.
template <typename Signature>
void checkFits(const compat::TypedOp<Signature>& typed) {
  CAPTURE(std::string(typed.name));
  const c10::OperatorHandle op = handleOf(typed.name);
  CHECK_NOTHROW(op.typed<Signature>());
  CHECK(typedKernelFor(factsOf(op), op));
}

TEST_CASE_FIXTURE(TrackerFixture, "the types in the table are those of this torch") {
  std::apply([](const auto&... typed) { (checkFits(typed), ...); }, compat::kTypedOps);
}

TEST_CASE_FIXTURE(TrackerFixture, "an op that is not in the table has no typed kernel") {
  const c10::OperatorHandle op = handleOf("_c10d_functional::all_reduce");
  CHECK_FALSE(typedKernelFor(factsOf(op), op));
}

/// A backend whose all-reduce doubles, like a sum over two equal ranks.
class DoublingBackend final : public c10d::Backend {
 public:
  using Backend::Backend;
  const std::string getBackendName() const override {
    return "doubling";
  }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions&) override {
    tensors.at(0).mul_(2);
    return c10::make_intrusive<c10d::Work>();
  }
};

uint64_t total(const std::vector<Collective>& rows, uint64_t Collective::*number) {
  uint64_t sum = 0;
  for (const Collective& row : rows) {
    sum += row.*number;
  }
  return sum;
}

TEST_CASE_FIXTURE(TrackerFixture, "typed and boxed calls of one op count in one row, and do what they did") {
  startKernels({});
  auto group = c10::make_intrusive<c10d::ProcessGroup>(0, 2);
  group->setBackend(
      c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::CUSTOM, c10::make_intrusive<DoublingBackend>(0, 2));
  group->setGroupName("typed-group");
  const std::vector<Collective> before = rows("c10d.allreduce_");
  std::vector<at::Tensor> tensors{at::ones({4})};
  group->allreduce(tensors);
  CHECK(at::equal(tensors[0], at::full({4}, 2.0)));

  torch::jit::Stack stack;
  stack.emplace_back(c10::List<at::Tensor>({tensors[0]}));
  stack.emplace_back(group);
  stack.emplace_back(c10::make_intrusive<c10d::ReduceOp>(c10d::ReduceOp::SUM));
  stack.emplace_back();
  stack.emplace_back(true); // the default of AllreduceOptions
  stack.emplace_back(int64_t{-1});
  handleOf("c10d::allreduce_").callBoxed(&stack);
  CHECK(at::equal(tensors[0], at::full({4}, 4.0)));

  const std::vector<Collective> after = rows("c10d.allreduce_");
  CHECK(after.size() == before.size() + 1);
  CHECK(total(after, &Collective::count) == total(before, &Collective::count) + 2);
  CHECK(total(after, &Collective::bytes) == total(before, &Collective::bytes) + 32);
  stopKernels();
}

} // namespace
} // namespace commtap
