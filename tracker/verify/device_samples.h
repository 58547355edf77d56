// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "report/samples/samples.h"
#include "tracker/verify/device_digests.h"

namespace commtap {

/// The place of a digest in a sample.
struct DevicePart {
  size_t row = 0; ///< in the sample
  bool is_gradient = false;
  std::string name; ///< of the parameter
};

/// The tensors of a sample that one GPU has.
struct DeviceBatch {
  int device = 0;
  void* stream = nullptr; ///< the current one at the start of the step
  std::vector<DigestTensor> tensors;
  std::vector<DevicePart> parts; ///< one per tensor
  DigestLaunch* launch = nullptr;
};

/// A sample that is taken, except for the digests that GPUs make.
struct QueuedSample {
  Sample sample;
  Job job;
  std::vector<DeviceBatch> batches;
  std::vector<DevicePart> missing; ///< digests that there will not be
  std::vector<std::string> errors; ///< the reasons, one per GPU
};

/// The samples in the order in which they were taken, until GPUs have made their digests. Not for several threads at
/// once.
class DeviceSamples {
 public:
  static constexpr size_t kMost = DeviceDigests::kMostLaunches;

  bool isEmpty() const {
    return queue_.empty();
  }
  bool isFull() const {
    return queue_.size() >= kMost;
  }
  /// Launches what the sample's batches need, and appends it.
  void add(QueuedSample sample);
  /// Removes the first sample if all of its digests are there or missing, and sets them: a row without its values is
  /// left out, and a gradient that is missing is unknown. Waits for nothing.
  std::optional<QueuedSample> takeDone();
  /// Removes the first sample, which is not done.
  QueuedSample takeUndone();

  /// Returns why no digest is made by a GPU any longer; "" if they are.
  const std::string& ended() const {
    return digests_.ended();
  }

 private:
  void settle(QueuedSample& queued, DeviceBatch& batch);

  DeviceDigests digests_;
  std::deque<QueuedSample> queue_;
};

} // namespace commtap
