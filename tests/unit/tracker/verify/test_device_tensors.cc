// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/device_samples.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <vector>

#include "tests/unit/fake_gpu.h"

namespace commtap {
namespace {

bool add(DeviceTensors& tensors, const at::Tensor& tensor, TensorUse use = TensorUse::kReadByStep) {
  std::optional<TensorPlace> none;
  return tensors.add(*tensor.unsafeGetTensorImpl(), {3, true, "Net.a"}, use, none);
}

TEST_CASE("a place that the kernel cannot follow is reset") {
  DeviceTensors tensors;
  const at::Tensor tensor = FakeGpu::tensor(at::ones({4}));
  std::optional<TensorPlace> place = flatPlace(9, {5, 4});
  tensors.add(*tensor.unsafeGetTensorImpl(), {0, false, "Net.a"}, TensorUse::kReadByStep, place);
  CHECK(place);
  place = TensorPlace{{8}, {{{0, 2}, {4, 2}}}};
  tensors.add(*tensor.unsafeGetTensorImpl(), {1, false, "Net.b"}, TensorUse::kReadByStep, place);
  CHECK_FALSE(place);
  const std::vector<DeviceBatch> batches = tensors.takeBatches();
  CHECK(batches.at(0).tensors[0].is_placed == 1);
  CHECK(batches.at(0).tensors[0].place == 5);
  CHECK(batches.at(0).tensors[1].is_placed == 0);
}

TEST_CASE("each GPU has a batch, on the current stream of this thread") {
  DeviceTensors tensors;
  CHECK(add(tensors, FakeGpu::tensor(at::ones({2}))));
  CHECK(add(tensors, FakeGpu::tensor(at::ones({3}), 1)));
  CHECK(add(tensors, FakeGpu::tensor(at::ones({4}))));
  CHECK_FALSE(add(tensors, at::ones({2})));
  CHECK_FALSE(add(tensors, at::empty({2}, at::device(at::kMeta))));
  const std::vector<DeviceBatch> batches = tensors.takeBatches();
  REQUIRE(batches.size() == 2);
  CHECK(batches[0].device == 0);
  CHECK(batches[0].stream == &FakeGpu::get().streams[0]);
  CHECK(batches[0].tensors.size() == 2);
  CHECK(batches[0].tensors[1].elements == 4);
  CHECK(batches[0].parts[1].row == 3);
  CHECK(batches[1].device == 1);
  CHECK(batches[1].stream == &FakeGpu::get().streams[1]);
}

TEST_CASE("torch's allocator is asked to wait for tensors that the step does not read, except in a capture") {
  DeviceTensors tensors;
  const at::Tensor tensor = FakeGpu::tensor(at::ones({2}));
  const size_t before = FakeGpu::get().kept;
  add(tensors, tensor);
  CHECK(FakeGpu::get().kept == before);
  add(tensors, tensor, TensorUse::kOther);
  CHECK(FakeGpu::get().kept == before + 1);
  const FakeCapture capture(FakeGpu::get().streams[0]);
  add(tensors, tensor, TensorUse::kOther);
  CHECK(FakeGpu::get().kept == before + 1);
}

TEST_CASE("the tensors of the last row can be removed") {
  const auto add_row = [](DeviceTensors& tensors, size_t row, int device) {
    const at::Tensor tensor = FakeGpu::tensor(at::ones({2}), device);
    std::optional<TensorPlace> none;
    tensors.add(*tensor.unsafeGetTensorImpl(), {row, false, "Net.a"}, TensorUse::kReadByStep, none);
  };
  DeviceTensors tensors;
  add_row(tensors, 0, 0);
  add_row(tensors, 1, 0);
  add_row(tensors, 1, 1);
  tensors.removeRow(1);
  tensors.removeRow(1);
  const std::vector<DeviceBatch> batches = tensors.takeBatches();
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].tensors.size() == 1);
  CHECK(batches[0].parts.at(0).row == 0);
}

TEST_CASE("the memory of tensors exists as long as the object") {
  DeviceTensors tensors;
  at::Tensor tensor = FakeGpu::tensor(at::ones({2}));
  const c10::Storage storage = tensor.storage();
  add(tensors, tensor);
  tensor.reset();
  CHECK(storage.use_count() == 2);
  tensors = DeviceTensors();
  CHECK(storage.use_count() == 1);
}

} // namespace
} // namespace commtap
