// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/tensor_digest.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <cstring>
#include <vector>

#include "tests/unit/fake_gpu.h"
#include "tracker/verify/device_digests.h"
#include "tracker/verify/digest.h"

namespace commtap {
namespace {

std::optional<Digest> digestOfTensor(const at::Tensor& tensor) {
  return commtap::digestOfTensor(*tensor.unsafeGetTensorImpl());
}

TEST_CASE("a contiguous tensor has the digest of its elements, whichever the dtype") {
  const at::Tensor values = at::arange(60, at::kFloat).reshape({3, 4, 5}) - 20;
  const Digest floats = *digestOfTensor(values);
  CHECK(floats.bits == digestOf(values.data_ptr(), 60, DigestType::kFloat32).bits);
  for (const at::ScalarType type :
       {at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kShort, at::kChar}) {
    CAPTURE(at::toString(type));
    const Digest digest = *digestOfTensor(values.to(type));
    CHECK(digest.squares == floats.squares);
    CHECK(digest.sums == floats.sums);
  }
  CHECK(digestOfTensor(at::ones({4}, at::kBool))->squares == 4);
  CHECK(digestOfTensor(at::ones({4}, at::kByte))->is_constant);
}

TEST_CASE("a tensor whose elements do not lie one after the other has the digest of its copy") {
  const at::Tensor values = at::arange(60, at::kFloat).reshape({3, 4, 5});
  const at::Tensor row = at::arange(4, at::kFloat);
  for (const at::Tensor& view :
       {values.permute({2, 0, 1}), values.slice(2, 1, 5, 2), values.select(1, 2), row.unsqueeze(1).expand({4, 7})}) {
    CAPTURE(view.sizes().vec().size());
    CHECK_FALSE(view.is_contiguous());
    const Digest digest = *digestOfTensor(view);
    const Digest copied = *digestOfTensor(view.contiguous());
    CHECK(digest.bits == copied.bits);
    CHECK(digest.sums == copied.sums);
  }
}

TEST_CASE("each row has the digest of its elements") {
  const at::Tensor values = at::arange(12, at::kFloat).view({3, 2, 2});
  for (const at::Tensor& tensor : {values, values.permute({2, 0, 1}).contiguous().permute({1, 2, 0})}) {
    const std::vector<Digest> rows = digestsOfRows(*tensor.unsafeGetTensorImpl());
    REQUIRE(rows.size() == 3);
    CHECK(rows[1].bits == digestOfTensor(values[1].contiguous())->bits);
  }
  CHECK(digestsOfRows(*at::ones({}).unsafeGetTensorImpl()).empty());
  CHECK(digestsOfRows(*at::ones({0, 3}).unsafeGetTensorImpl()).empty());
  CHECK(digestsOfRows(*at::empty({3}, at::device(at::kMeta)).unsafeGetTensorImpl()).empty());
}

TEST_CASE("complex numbers are pairs, unless they are conjugated lazily") {
  const at::Tensor values = at::view_as_complex(at::arange(8, at::kFloat).reshape({4, 2}));
  CHECK(digestOfTensor(values)->bits == digestOfTensor(at::arange(8, at::kFloat))->bits);
  CHECK_FALSE(digestOfTensor(at::conj(values)));
}

TEST_CASE("a tensor that is no leaf has the gradient that was set") {
  const at::Tensor leaf = at::ones({4}).set_requires_grad(true);
  const at::Tensor part = leaf.view({2, 2});
  CHECK(keptGradient(*part.unsafeGetTensorImpl()) == nullptr);
  const at::Tensor gradient = at::ones({2, 2});
  part.mutable_grad() = gradient;
  CHECK(keptGradient(*part.unsafeGetTensorImpl()) == gradient.unsafeGetTensorImpl());
  CHECK(keptGradient(*at::ones({1}).unsafeGetTensorImpl()) == nullptr);
}

TEST_CASE("elements at odd addresses are copied") {
  std::vector<char> bytes(4 * sizeof(float) + 1);
  const at::Tensor values = at::arange(4, at::kFloat);
  std::memcpy(bytes.data() + 1, values.data_ptr(), 4 * sizeof(float));
  const at::Tensor odd = at::from_blob(bytes.data() + 1, {4}, at::kFloat);
  CHECK(digestOfTensor(odd)->bits == digestOfTensor(values)->bits);
}

TEST_CASE("no elements and one element are tensors too") {
  CHECK(digestOfTensor(at::empty({0, 4}))->is_constant);
  CHECK(digestOfTensor(at::full({}, 3.0))->squares == 9);
}

TEST_CASE("a tensor without values in the CPU's memory has no digest") {
  CHECK_FALSE(digestOfTensor(at::empty({4}, at::device(at::kMeta))));
  CHECK_FALSE(digestOfTensor(at::eye(3).to_sparse()));
  at::Tensor freed = at::ones({4});
  freed.storage().unsafeGetStorageImpl()->set_nbytes(size_t{0});
  CHECK_FALSE(digestOfTensor(freed));
}

/// Returns the digest by the kernel, of a tensor in the memory of a tensor of the CPU.
std::optional<Digest> digestOnGpu(const at::Tensor& values) {
  const std::optional<DeviceTensor> tensor = deviceTensorOf(*FakeGpu::tensor(values).unsafeGetTensorImpl());
  if (!tensor) {
    return std::nullopt;
  }
  DeviceDigests digests;
  DigestLaunch& launch = **digests.launch(tensor->device, &FakeGpu::get().streams[0], {&tensor->elements, 1});
  FakeGpu::waitForEvents();
  REQUIRE(digests.stateOf(launch) == DeviceDigests::State::kDone);
  return DeviceDigests::digestsOf(launch)[0];
}

TEST_CASE("a GPU's tensor has the digest of the CPU, contiguous or not") {
  const at::Tensor values = at::arange(120, at::kFloat).reshape({2, 3, 4, 5});
  const at::Tensor row = at::arange(4, at::kFloat);
  const at::Tensor complex = at::view_as_complex(at::arange(24, at::kDouble).reshape({3, 4, 2}));
  for (const at::Tensor& tensor :
       {values,
        values.contiguous(at::MemoryFormat::ChannelsLast),
        values.permute({3, 1, 0, 2}),
        values.transpose(1, 2).slice(3, 1, 5, 2),
        values.select(1, 2),
        row.unsqueeze(1).expand({4, 7}),
        complex,
        complex.transpose(0, 1),
        at::ones({5000}, at::kByte),
        at::ones({3, 2000, 2}, at::kLong).transpose(0, 1),
        at::empty({0, 4}),
        at::full({}, 3.5)}) {
    CAPTURE(tensor.sizes().vec().size());
    CAPTURE(tensor.numel());
    const Digest expected = *digestOfTensor(tensor);
    const std::optional<Digest> found = digestOnGpu(tensor);
    REQUIRE(found);
    CHECK(found->bits == expected.bits);
    CHECK(found->squares == expected.squares);
    CHECK(found->is_constant == expected.is_constant);
  }
}

TEST_CASE("a GPU's tensor at an odd address, of many irregular strides, or without memory has no digest") {
  std::vector<char> bytes(4 * sizeof(float) + 1);
  CHECK_FALSE(digestOnGpu(at::from_blob(bytes.data() + 1, {4}, at::kFloat)));
  CHECK_FALSE(digestOnGpu(at::ones({3, 3, 3, 3, 3}).permute({4, 2, 0, 3, 1})));
  CHECK_FALSE(digestOnGpu(at::ones({4}, at::kHalf).to(at::kFloat8_e4m3fn)));
  const at::Tensor freed = FakeGpu::tensor(at::ones({4}));
  freed.storage().set_nbytes(0);
  CHECK_FALSE(deviceTensorOf(*freed.unsafeGetTensorImpl()));
  CHECK_FALSE(deviceTensorOf(*at::ones({4}).unsafeGetTensorImpl()));
  CHECK_FALSE(digestOfTensor(FakeGpu::tensor(at::ones({4}))));
}

} // namespace
} // namespace commtap
