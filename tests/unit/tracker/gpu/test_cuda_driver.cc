// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/device_event.h"

#include <doctest/doctest.h>

#include "tests/cuda/fake_cuda.h"

namespace commtap {
namespace {

TEST_CASE("the loaded driver is found, and a stream's capture is read") {
  const CudaDriver* driver = CudaDriver::get();
  REQUIRE(driver != nullptr);
  CHECK(CudaDriver::get() == driver);
  fake_stream stream{};
  CHECK(driver->captureOf(&stream) == 0);
  stream.capture = 7;
  CHECK(driver->captureOf(&stream) == 7);
}

} // namespace
} // namespace commtap
