// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <c10/core/Storage.h>
#include <c10/core/TensorImpl.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "report/samples/samples.h"
#include "tracker/verify/device_digests.h"
#include "tracker/verify/tensor_place.h"

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

/// Whether the step that begins reads a tensor, on the stream that is now the current one.
enum class TensorUse : uint8_t { kReadByStep, kOther };

/// The tensors of one sample that GPUs have. Their memory exists until this object is destroyed; after that, the order
/// of the stream keeps it until a kernel that is launched now has read it:
///  - The step reads its tensors after that kernel, on the same stream.
///  - For another tensor, torch's allocator is asked to wait for the stream before it reuses the memory.
class DeviceTensors {
 public:
  /// Adds a tensor. Returns false if it is not in a GPU's memory, or cannot be sampled there. Resets a place that the
  /// kernel cannot follow.
  bool add(const c10::TensorImpl& tensor, DevicePart part, TensorUse use, std::optional<TensorPlace>& place);
  /// Removes the tensors of the last row that was added, if it is this one.
  void removeRow(size_t row) noexcept;
  /// Returns what the GPUs have to do, one batch per GPU.
  std::vector<DeviceBatch> takeBatches();

 private:
  DeviceBatch& batchOf(int device);

  std::vector<DeviceBatch> batches_;
  std::vector<c10::Storage> kept_;
};

} // namespace commtap
