// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/device_timing.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <vector>

#include "tests/cuda/fake_cuda.h"
#include "tests/unit/fake_gpu.h"

namespace commtap {
namespace {

constexpr uint64_t kNsPerMs = 1'000'000;

/// Returns a span whose work took `ms` on the stream.
SpanRef spanOn(fake_stream& stream, uint64_t ms) {
  auto span = std::make_shared<DeviceSpan>();
  span->from = FakeGpu::recordedOn(stream);
  fake_cuda_give_work(&stream, ms * kNsPerMs);
  span->to = FakeGpu::recordedOn(stream);
  return span;
}

TEST_CASE("spans are sorted by their ends") {
  fake_stream slow{};
  fake_stream fast{};
  std::vector<SpanRef> spans = {spanOn(slow, 9), spanOn(fast, 2), spanOn(fast, 3)};
  FakeGpu::waitForEvents();
  const std::vector<SpanRef> wanted = {spans[1], spans[2], spans[0]};
  sortByEnd(*CudaDriver::get(), spans);
  CHECK(spans == wanted);
}

TEST_CASE("a wait to which its stream has not come yet exposes nothing") {
  fake_stream comm{};
  fake_stream computing{};
  const SpanRef span = spanOn(comm, 5);
  FakeGpu::waitForEvents();
  const auto arrival = std::make_shared<Arrival>();
  arrival->at = FakeGpu::recordedOn(computing);
  CHECK(exposureOf(*CudaDriver::get(), span, 5, {arrival}).ms == 0);
}

TEST_CASE("a thread's wait ends with its last collective") {
  fake_stream comm{};
  const auto arrival = std::make_shared<Arrival>();
  arrival->spans = {spanOn(comm, 10), spanOn(comm, 10)};
  arrival->where = {4, Phase::kForward};
  arrival->waited_ns = 13 * kNsPerMs;
  FakeGpu::waitForEvents();
  const Exposure first = exposureOf(*CudaDriver::get(), arrival->spans[0], 10, {arrival});
  CHECK(first.ms == 3);
  CHECK(first.where.module == 4);
  CHECK(exposureOf(*CudaDriver::get(), arrival->spans[1], 10, {arrival}).ms == 10);
  arrival->spans.clear();
  arrival->last = nullptr;
}

} // namespace
} // namespace commtap
