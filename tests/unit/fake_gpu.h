// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

#include "tests/cuda/fake_cuda.h"
#include "tracker/gpu/device_event.h"

namespace commtap {

/// The streams of two devices, current ones of torch's for tests of the fake driver.
class FakeGpu {
 public:
  /// Registers the devices with torch, once per process.
  static FakeGpu& get();
  /// Returns a tensor that torch takes for one of a GPU, in the memory of a tensor of the CPU.
  static at::Tensor tensor(const at::Tensor& values, int device = 0);
  /// Returns an event that the stream has come to.
  static DeviceEvent recordedOn(fake_stream& stream);
  /// Sleeps until the events that have been recorded are over.
  static void waitForEvents();

  fake_stream streams[2] = {};
  size_t kept = 0; ///< how often torch's allocator was asked to wait for a stream
};

/// While it exists, a stream captures.
class FakeCapture {
 public:
  explicit FakeCapture(fake_stream& stream) : stream_(stream) {
    stream_.capture = 1;
    fake_cuda_captures_more(1);
  }
  FakeCapture(const FakeCapture&) = delete;
  FakeCapture& operator=(const FakeCapture&) = delete;
  ~FakeCapture() {
    stream_.capture = 0;
    fake_cuda_captures_more(-1);
  }

 private:
  fake_stream& stream_;
};

} // namespace commtap
