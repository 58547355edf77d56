// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace commtap {

/// The functions of the CUDA driver's API that are called here. Each returns a CUresult, 0 for success. Handles are
/// opaque, so that no header of CUDA is needed; enumerations are ints.
struct CudaDriver {
  /// CU_STREAM_CAPTURE_STATUS_ACTIVE.
  static constexpr int kCapturing = 1;
  /// CU_STREAM_CAPTURE_MODE_RELAXED: what this thread calls does not disturb the captures of others.
  static constexpr int kRelaxed = 2;
  /// CUDA_ERROR_NOT_READY.
  static constexpr int kNotReady = 600;

  int (*get_capture_info)(
      void* stream,
      int* status,
      uint64_t* id,
      void** graph,
      const void** dependencies,
      size_t* dependency_count);
  int (*exchange_capture_mode)(int* mode);
  int (*get_context)(void** context);
  int (*set_context)(void* context);
  int (*create_event)(void** event, unsigned flags);
  int (*destroy_event)(void* event);
  int (*record_event)(void* event, void* stream);
  int (*query_event)(void* event);
  int (*elapsed)(float* ms, void* from, void* to);

  /// Of the driver that the job has loaded; nullptr while it has none, or one that is too old (before CUDA 11.3).
  static const CudaDriver* get();

  /// The capture that `stream` is part of; 0: none.
  uint64_t captureOf(void* stream) const;
};

} // namespace commtap
