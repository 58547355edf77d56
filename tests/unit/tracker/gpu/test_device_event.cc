// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/device_event.h"

#include <doctest/doctest.h>

#include <optional>

#include "tests/cuda/fake_cuda.h"
#include "tests/unit/fake_gpu.h"

namespace commtap {
namespace {

TEST_CASE("the time between two events is negative if the first came later") {
  fake_stream stream{};
  const DeviceEvent first = FakeGpu::recordedOn(stream);
  fake_cuda_give_work(&stream, 3000000);
  const DeviceEvent second = FakeGpu::recordedOn(stream);
  CHECK(first.isOver(*CudaDriver::get()) == false);
  FakeGpu::waitForEvents();
  CHECK(first.isOver(*CudaDriver::get()) == true);
  CHECK(second.since(*CudaDriver::get(), first) == 3.0);
  CHECK(first.since(*CudaDriver::get(), second) == -3.0);
}

TEST_CASE("an error of the driver is no time") {
  fake_stream stream{};
  const DeviceEvent event = FakeGpu::recordedOn(stream);
  fake_cuda_fail("cuEventQuery", kFakeInvalidContext);
  CHECK(event.isOver(*CudaDriver::get()) == std::nullopt);
  CHECK(event.since(*CudaDriver::get(), event) == std::nullopt);
  fake_cuda_fail("cuEventCreate", kFakeNoMemory);
  void* other_context = &stream;
  CHECK_FALSE(DeviceEvent::take(*CudaDriver::get(), other_context));
  fake_cuda_fail(nullptr, 0);
}

TEST_CASE("an event that is gone is used again") {
  fake_stream stream{};
  void* context = nullptr;
  CudaDriver::get()->get_context(&context);
  { const DeviceEvent event = FakeGpu::recordedOn(stream); }
  fake_cuda_fail("cuEventCreate", kFakeNoMemory);
  CHECK(DeviceEvent::take(*CudaDriver::get(), context));
  fake_cuda_fail(nullptr, 0);
}

} // namespace
} // namespace commtap
