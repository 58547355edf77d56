// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/step_inputs.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "tracker/verify/tensor_digest.h"

namespace commtap {
namespace {

std::vector<const c10::TensorImpl*> inputsOf(const std::vector<at::Tensor>& tensors) {
  std::vector<const c10::TensorImpl*> impls;
  std::transform(tensors.begin(), tensors.end(), std::back_inserter(impls), [](const at::Tensor& tensor) {
    return tensor.unsafeGetTensorImpl();
  });
  return impls;
}

/// Returns what is read of a call with these tensors.
std::vector<StepInputs::Reduced>
readCall(const std::vector<at::Tensor>& tensors, bool is_gradient, uint64_t* unread = nullptr) {
  uint64_t count = 0;
  std::vector<StepInputs::Reduced> all = StepInputs::read({"group", 7, "Net", is_gradient}, inputsOf(tensors), count);
  if (unread != nullptr) {
    *unread = count;
  }
  return all;
}

Sample sampleOf(StepInputs& inputs) {
  Sample sample;
  inputs.moveTo(sample);
  return sample;
}

SampledBatch rowsOf(const std::vector<at::Tensor>& tensors) {
  return StepInputs::readRows(inputsOf(tensors)).value_or(SampledBatch());
}

TEST_CASE("each tensor of a call has its digest; what is no float is no gradient") {
  const at::Tensor values = at::arange(6, at::kFloat);
  uint64_t unread = 0;
  StepInputs inputs;
  inputs.add(readCall({values, at::ones({2}, at::kInt), values.view({2, 3}) * 2}, true, &unread));
  CHECK(unread == 0);
  const Sample sample = sampleOf(inputs);
  REQUIRE(sample.reductions.size() == 2);
  CHECK(sample.reductions[0].group == "group");
  CHECK(sample.reductions[0].sequence == 7);
  CHECK(sample.reductions[0].module == "Net");
  CHECK(sample.reductions[0].elements == 6);
  CHECK(sample.reductions[0].is_gradient);
  CHECK(sample.reductions[0].input.bits == digestOfTensor(*values.unsafeGetTensorImpl())->bits);
  CHECK(sample.reductions[1].part == 2);
  CHECK(sampleOf(inputs).reductions.empty());
}

TEST_CASE("a tensor that is not in the memory of the CPU is counted") {
  uint64_t unread = 0;
  CHECK(readCall({at::empty({3}, at::device(at::kMeta))}, true, &unread).empty());
  CHECK(unread == 1);
}

TEST_CASE("a call of unknown tensors is one of gradients if a parameter's gradient has the memory") {
  const at::Tensor gradient = at::ones({4});
  const at::Tensor bucket = at::ones({8});
  const at::Tensor metric = at::ones({4});
  StepInputs inputs;
  inputs.add(readCall({gradient, bucket, metric}, false));
  inputs.noteGradient(*gradient.unsafeGetTensorImpl(), "Net.w");
  inputs.noteGradient(*bucket.slice(0, 4, 8).unsafeGetTensorImpl(), "Net.v");
  inputs.noteGradient(*at::ones({4}).unsafeGetTensorImpl(), "Net.u");
  const Sample sample = sampleOf(inputs);
  REQUIRE(sample.reductions.size() == 3);
  CHECK(sample.reductions[0].is_gradient);
  CHECK(sample.reductions[0].module == "Net.w");
  CHECK(sample.reductions[1].is_gradient);
  CHECK(sample.reductions[1].module == "Net");
  CHECK_FALSE(sample.reductions[2].is_gradient);
  CHECK(sample.gradient_elements == 12);
}

TEST_CASE("no tensor is kept, and memory at the same address is other memory") {
  at::Tensor tensor = at::ones({4});
  const c10::weak_intrusive_ptr<c10::StorageImpl> storage = tensor.storage().getWeakStorageImpl();
  StepInputs inputs;
  inputs.add(readCall({tensor}, false));
  tensor = at::Tensor();
  CHECK(storage.expired());
  const at::Tensor other = at::ones({4});
  inputs.noteGradient(*other.unsafeGetTensorImpl(), "Net.w");
  CHECK_FALSE(sampleOf(inputs).reductions.at(0).is_gradient);
}

TEST_CASE("a step has so many reductions, and counts those beyond") {
  StepInputs inputs;
  const at::Tensor tensor = at::ones({4});
  for (size_t i = 0; i < StepInputs::kMostReductions + 3; ++i) {
    inputs.add(readCall({tensor}, true));
  }
  CHECK_FALSE(inputs.hasRoom());
  const Sample sample = sampleOf(inputs);
  CHECK(sample.reductions.size() == StepInputs::kMostReductions);
  REQUIRE(sample.gaps.size() == 1);
  CHECK(sample.gaps[0].why == kTooManyReductions);
  CHECK(sample.gaps[0].count == 3);
}

TEST_CASE("a row is that of all tensors with as many rows, in the order of the tensors") {
  const at::Tensor tokens = at::arange(12, at::kLong).view({3, 4});
  const at::Tensor labels = at::arange(3, at::kLong);
  const SampledBatch batch = rowsOf({tokens, labels, at::ones({5, 2})});
  CHECK(batch.rows == 3);
  CHECK(batch.hashes.size() == 3);
  CHECK(batch.sum == batch.hashes[0] + batch.hashes[1] + batch.hashes[2]);
  CHECK(rowsOf({tokens, labels}).sum == batch.sum);
  CHECK(rowsOf({tokens, labels + 1}).sum != batch.sum);
  CHECK(rowsOf({tokens.flip(0), labels.flip(0)}).sum == batch.sum);
  CHECK(rowsOf({tokens.t().contiguous().t(), labels}).sum == batch.sum);
}

TEST_CASE("constant rows and rows of a few numbers do not count") {
  const at::Tensor padded = at::cat({at::zeros({2, 4}), at::arange(4, at::kFloat).view({1, 4})});
  CHECK(rowsOf({padded}).rows == 1);
  CHECK(rowsOf({at::arange(6, at::kLong).view({2, 3})}).rows == 0);
  CHECK_FALSE(StepInputs::readRows(inputsOf({at::ones({}), at::empty({0, 4})})));
  CHECK_FALSE(StepInputs::readRows(inputsOf({at::empty({2, 4}, at::device(at::kMeta))})));
}

TEST_CASE("the smallest hashes of all forwards of a step are kept, and all rows are counted") {
  StepInputs inputs;
  CHECK_FALSE(inputs.hasForward());
  for (int i = 0; i < 3; ++i) {
    CHECK(inputs.forwardBegins(false));
    inputs.add(rowsOf({at::arange(400, at::kFloat).view({100, 4}) + 400 * i}));
  }
  CHECK(inputs.hasForward());
  const Sample sample = sampleOf(inputs);
  CHECK(sample.batch.forwards == 3);
  CHECK(sample.batch.rows == 300);
  CHECK(sample.batch.hashes.size() == SampledBatch::kMostHashes);
  CHECK(std::is_sorted(sample.batch.hashes.begin(), sample.batch.hashes.end()));
}

TEST_CASE("forwards of equal rows add them each time") {
  StepInputs inputs;
  const at::Tensor batch = at::arange(8, at::kFloat).view({2, 4});
  for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
    CHECK(inputs.forwardBegins(false));
    inputs.add(rowsOf({batch}));
  }
  const Sample sample = sampleOf(inputs);
  CHECK(sample.batch.rows == 4);
  CHECK(sample.batch.sum == 2 * rowsOf({batch}).sum);
}

} // namespace
} // namespace commtap
