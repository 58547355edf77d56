// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace commtap {

/// The functions of the CUDA driver API that the tracker calls. Each returns a CUresult, 0 for success. Handles are
/// opaque pointers and enumerations are ints, so the build needs no CUDA header.
struct CudaDriver {
  /// CU_STREAM_CAPTURE_STATUS_ACTIVE.
  static constexpr int kCapturing = 1;
  /// CU_STREAM_CAPTURE_MODE_RELAXED: calls of this thread do not invalidate captures of other threads.
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

  /// Returns the functions of the driver that the job has loaded; nullptr if there is none, or if it is older than
  /// CUDA 11.3.
  static const CudaDriver* get();

  /// Returns the capture that `stream` is part of; 0 for none.
  uint64_t captureOf(void* stream) const;
};

} // namespace commtap
