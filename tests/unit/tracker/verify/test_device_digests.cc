// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/device_digests.h"

#include "tests/unit/torch_doctest.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/fake_gpu.h"
#include "tracker/verify/digest.h"
#include "tracker/verify/tensor_digest.h"

namespace commtap {
namespace {

/// A tensor of a GPU, in the host's memory.
struct Values {
  std::vector<uint64_t> words;
  DigestTensor tensor{};

  Values(DigestType type, size_t count, unsigned seed) : words(count + 1) {
    std::mt19937_64 random(seed);
    for (uint64_t& word : words) {
      word = random() & ~uint64_t{0x4000400040004000}; // neither infinite nor NaN in any type
    }
    tensor.elements = count;
    tensor.type = type;
  }
  Digest onCpu() const {
    return digestOf(words.data(), tensor.elements, tensor.type);
  }
};

std::vector<DigestTensor> tensorsOf(const std::vector<Values>& values) {
  std::vector<DigestTensor> tensors;
  for (const Values& each : values) {
    tensors.push_back(each.tensor);
    tensors.back().address = reinterpret_cast<uintptr_t>(each.words.data());
  }
  return tensors;
}

void checkEqual(const Digest& found, const Digest& expected) {
  CHECK(found.bits == expected.bits);
  CHECK(found.is_constant == expected.is_constant);
  CHECK(found.has_non_finite == expected.has_non_finite);
  CHECK(found.squares == doctest::Approx(expected.squares).epsilon(1e-12));
  for (int j = 0; j < kDigestSums; ++j) {
    CHECK(std::abs(found.sums[j] - expected.sums[j]) <= 1e-5 * std::sqrt(expected.squares));
  }
}

/// The fake driver without errors and captures, and this thread in the context of device 0.
class DeviceDigestsFixture {
 public:
  ~DeviceDigestsFixture() {
    fake_cuda_fail(nullptr, 0);
    fake_cuda_set_active(1, false);
    void* current = nullptr;
    CudaDriver::get()->get_context(&current);
    CHECK(current == context);
    CHECK(fake_cuda_forbidden_calls() == forbidden);
  }

  void* context = [] {
    void* current = nullptr;
    CudaDriver::get()->get_context(&current);
    return current;
  }();
  uint64_t forbidden = fake_cuda_forbidden_calls();
  const std::vector<Values> some = {Values(DigestType::kFloat32, 10, 1)};
  fake_stream stream{};
  DeviceDigests digests;
};

TEST_CASE_FIXTURE(DeviceDigestsFixture, "the kernel's digests are those of the CPU, whichever the type and the size") {
  std::vector<Values> values;
  for (unsigned type = 0; type <= static_cast<unsigned>(DigestType::kUint8); ++type) {
    for (const size_t count : {1, 2, 4095, 4096, 4097, 10000, 0}) {
      values.emplace_back(static_cast<DigestType>(type), count, type * 10 + static_cast<unsigned>(count));
    }
  }
  stream.hangs = true;
  const Result<DigestLaunch*> launch = digests.launch(0, &stream, tensorsOf(values));
  REQUIRE(launch);
  FakeGpu::waitForEvents();
  CHECK(digests.stateOf(**launch) == DeviceDigests::State::kRuns);
  stream.hangs = false;
  FakeGpu::waitForEvents();
  REQUIRE(digests.stateOf(**launch) == DeviceDigests::State::kDone);
  const std::vector<Digest> found = DeviceDigests::digestsOf(**launch);
  REQUIRE(found.size() == values.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    checkEqual(found[i], values[i].onCpu());
  }
}

TEST_CASE_FIXTURE(DeviceDigestsFixture, "the kernel's signs follow the places in a whole tensor as those of the CPU") {
  const std::vector<Values> values = {Values(DigestType::kFloat32, 5 * 3000, 1), Values(DigestType::kFloat32, 60, 2)};
  const std::vector<TensorPlace> places = {
      {{8, 7000}, {{{3, 5}}, {{4000, 3000}}}}, {{3, 4, 9, 2}, {{{0, 3}}, {{2, 2}}, {{1, 5}}, {{0, 2}}}}};
  std::vector<DigestTensor> tensors = tensorsOf(values);
  for (size_t i = 0; i < tensors.size(); ++i) {
    DeviceTensor placed{.elements = tensors[i]};
    REQUIRE(setPlace(places[i], placed));
    tensors[i] = placed.elements;
  }
  const Result<DigestLaunch*> launch = digests.launch(0, &stream, tensors);
  REQUIRE(launch);
  FakeGpu::waitForEvents();
  REQUIRE(digests.stateOf(**launch) == DeviceDigests::State::kDone);
  const std::vector<Digest> found = DeviceDigests::digestsOf(**launch);
  for (size_t i = 0; i < found.size(); ++i) {
    const DigestTensor& each = values[i].tensor;
    CHECK(places[i].elements() == static_cast<int64_t>(each.elements));
    checkEqual(found[i], digestOf(values[i].words.data(), each.elements, each.type, PlaceRuns(&places[i], 1)));
  }
}

TEST_CASE_FIXTURE(DeviceDigestsFixture, "the kernel sees constants, infinities, NaN and subnormal numbers") {
  const std::vector<uint16_t> halves = {0x7c00, 0x0001, 0x83ff, 0x3c00};
  const std::vector<float> floats = {1, std::numeric_limits<float>::quiet_NaN(), 2};
  const std::vector<double> doubles(5000, 1e300);
  const std::array tensors = {
      DigestTensor{reinterpret_cast<uintptr_t>(halves.data()), 1, 0, DigestType::kFloat16, 0, {}, {}},
      DigestTensor{reinterpret_cast<uintptr_t>(halves.data() + 1), 3, 0, DigestType::kFloat16, 0, {}, {}},
      DigestTensor{reinterpret_cast<uintptr_t>(floats.data()), 3, 0, DigestType::kFloat32, 0, {}, {}},
      DigestTensor{reinterpret_cast<uintptr_t>(doubles.data()), 5000, 0, DigestType::kFloat64, 0, {}, {}}};
  DigestLaunch& launch = **digests.launch(0, &stream, tensors);
  FakeGpu::waitForEvents();
  REQUIRE(digests.stateOf(launch) == DeviceDigests::State::kDone);
  const std::vector<Digest> found = DeviceDigests::digestsOf(launch);
  CHECK(found[0].has_non_finite);
  CHECK(found[0].is_constant);
  checkEqual(found[1], digestOf(halves.data() + 1, 3, DigestType::kFloat16));
  CHECK(found[2].has_non_finite);
  CHECK_FALSE(found[2].is_constant);
  CHECK(found[3].is_constant);
  CHECK_FALSE(found[3].has_non_finite);
  CHECK(found[3].squares == digestOf(doubles.data(), 5000, DigestType::kFloat64).squares);
}

TEST_CASE_FIXTURE(DeviceDigestsFixture, "nothing is launched on a stream that captures, and no other capture breaks") {
  const std::vector<DigestTensor> tensors = tensorsOf(some);
  const uint64_t launched = fake_cuda_launched_kernels();
  {
    const FakeCapture capture(stream);
    const Result<DigestLaunch*> launch = digests.launch(0, &stream, tensors);
    CHECK(launch.error() == "the step was captured in a CUDA graph");
    CHECK(fake_cuda_launched_kernels() == launched);
  }
  CHECK(digests.ended().empty());
  fake_stream other{};
  const FakeCapture capture(other);
  const Result<DigestLaunch*> launch = digests.launch(0, &stream, tensors);
  REQUIRE(launch);
  CHECK(digests.stateOf(**launch) != DeviceDigests::State::kFailed);
  CHECK(fake_cuda_launched_kernels() == launched + 1);
}

TEST_CASE_FIXTURE(DeviceDigestsFixture, "each device works in its own context, and none is created") {
  const std::vector<Values> values = {Values(DigestType::kBfloat16, 5000, 3)};
  CHECK(digests.launch(1, &stream, tensorsOf(values)).error() == "cuda:1 has no context");
  CHECK(digests.launch(7, &stream, tensorsOf(values)).error() == "cuda:7 has no context");
  CHECK(digests.ended().empty());
  fake_cuda_set_active(1, true);
  fake_stream other{};
  const Result<DigestLaunch*> first = digests.launch(0, &stream, tensorsOf(values));
  const Result<DigestLaunch*> second = digests.launch(1, &other, tensorsOf(values));
  REQUIRE(first);
  REQUIRE(second);
  CHECK((*first)->context != (*second)->context);
  FakeGpu::waitForEvents();
  for (DigestLaunch* launch : {*first, *second}) {
    REQUIRE(digests.stateOf(*launch) == DeviceDigests::State::kDone);
    checkEqual(DeviceDigests::digestsOf(*launch)[0], values[0].onCpu());
  }
}

TEST_CASE_FIXTURE(DeviceDigestsFixture, "an error of the driver ends all launches, and is named") {
  const std::vector<DigestTensor> tensors = tensorsOf(some);
  const std::vector<const char*> functions = {
      "cuModuleLoadData",
      "cuMemAlloc_v2",
      "cuMemHostAlloc",
      "cuEventCreate",
      "cuMemcpyHtoDAsync_v2",
      "cuMemsetD8Async",
      "cuLaunchKernel",
      "cuMemcpyDtoHAsync_v2",
      "cuEventRecord"};
  for (const char* function : functions) {
    CAPTURE(function);
    DeviceDigests failing;
    fake_stream own{};
    fake_cuda_fail(function, 2);
    CHECK_FALSE(failing.launch(0, &own, tensors));
    fake_cuda_fail(nullptr, 0);
    const std::string name = std::string(function).substr(0, std::string(function).find("_v2"));
    CHECK(failing.ended() == name + "() failed with CUDA's error 2");
    CHECK(failing.launch(0, &own, tensors).error() == failing.ended());
  }
}

TEST_CASE_FIXTURE(DeviceDigestsFixture, "a launch whose event cannot be asked has failed") {
  const std::vector<DigestTensor> tensors = tensorsOf(some);
  DigestLaunch& launch = **digests.launch(0, &stream, tensors);
  fake_cuda_fail("cuEventQuery", 700);
  CHECK(digests.stateOf(launch) == DeviceDigests::State::kFailed);
  CHECK(digests.ended() == "cuEventQuery() failed with CUDA's error 700");
}

TEST_CASE_FIXTURE(DeviceDigestsFixture, "launches that are done are used again, and others are bounded") {
  const std::vector<Values> values = {Values(DigestType::kFloat32, 10, 1), Values(DigestType::kInt8, 7, 2)};
  const std::vector<DigestTensor> tensors = tensorsOf(values);
  const size_t allocated = fake_cuda_allocated();
  const size_t on_host = fake_cuda_allocated_on_host();
  DigestLaunch& first = **digests.launch(0, &stream, tensors);
  CHECK(fake_cuda_allocated() - allocated == size_t{1024} * (176 + 88));
  CHECK(fake_cuda_allocated_on_host() - on_host == size_t{1024} * (176 + 88));
  FakeGpu::waitForEvents();
  REQUIRE(digests.stateOf(first) == DeviceDigests::State::kDone);
  DeviceDigests::release(first);
  CHECK(*digests.launch(0, &stream, tensors) == &first);
  for (size_t i = 1; i < DeviceDigests::kMostLaunches; ++i) {
    CHECK(digests.launch(0, &stream, tensors));
  }
  CHECK(digests.launch(0, &stream, tensors).error() == "the GPU had not yet completed earlier samples");
  CHECK(digests.ended().empty());
  FakeGpu::waitForEvents();
  REQUIRE(digests.stateOf(first) == DeviceDigests::State::kDone);
  checkEqual(DeviceDigests::digestsOf(first)[1], values[1].onCpu());
}

TEST_CASE_FIXTURE(DeviceDigestsFixture, "very many tensors have one launch at a time") {
  const std::vector<DigestTensor> tensors(300'000, tensorsOf(some)[0]);
  DigestLaunch& launch = **digests.launch(0, &stream, tensors);
  CHECK_FALSE(digests.launch(0, &stream, tensors));
  FakeGpu::waitForEvents();
  REQUIRE(digests.stateOf(launch) == DeviceDigests::State::kDone);
  CHECK(DeviceDigests::digestsOf(launch).back().bits == some[0].onCpu().bits);
}

} // namespace
} // namespace commtap
