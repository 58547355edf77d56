// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <c10/core/Storage.h>
#include <c10/core/TensorImpl.h>

#include "tracker/verify/device_samples.h"

namespace commtap {

/// Whether the step that begins reads a tensor, on the stream that is now the current one.
enum class TensorUse : uint8_t { kReadByStep, kOther };

/// The tensors of one sample that GPUs have. Their memory exists until this object is destroyed; after that, the order
/// of the stream keeps it until a kernel that is launched now has read it:
///  - The step reads its tensors after that kernel, on the same stream.
///  - For another tensor, torch's allocator is asked to wait for the stream before it reuses the memory.
class DeviceTensors {
 public:
  /// Adds a tensor. Returns false if it is not in a GPU's memory, or cannot be sampled there.
  bool add(const c10::TensorImpl& tensor, DevicePart part, TensorUse use);
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
