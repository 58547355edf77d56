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
  /// CU_EVENT_DISABLE_TIMING.
  static constexpr unsigned kWithoutTiming = 2;
  /// CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT.
  static constexpr int kProcessors = 16;

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

  // The functions below are for kernels of commtap's own. A device's memory is a number: the host does not read it.
  int (*is_capturing)(void* stream, int* status);
  int (*push_context)(void* context);
  int (*pop_context)(void** context);
  int (*get_device)(int* device, int number);
  int (*get_attribute)(int* value, int attribute, int device);
  int (*get_primary_state)(int device, unsigned* flags, int* is_active);
  int (*retain_primary)(void** context, int device);
  int (*release_primary)(int device);
  int (*allocate)(uint64_t* address, size_t bytes);
  int (*allocate_on_host)(void** memory, size_t bytes, unsigned flags);
  int (*copy_to_device)(uint64_t to, const void* from, size_t bytes, void* stream);
  int (*copy_to_host)(void* to, uint64_t from, size_t bytes, void* stream);
  int (*fill)(uint64_t to, unsigned char byte, size_t bytes, void* stream);
  int (*load_module)(void** loaded, const void* image);
  int (*get_function)(void** function, void* loaded, const char* name);
  int (*launch)(
      void* function,
      unsigned grid_x,
      unsigned grid_y,
      unsigned grid_z,
      unsigned block_x,
      unsigned block_y,
      unsigned block_z,
      unsigned shared_bytes,
      void* stream,
      void** arguments,
      void** extra);

  /// Returns the functions of the driver that the job has loaded; nullptr if there is none, or if it is older than
  /// CUDA 11.3.
  static const CudaDriver* get();

  /// Returns the capture that `stream` is part of; 0 for none.
  uint64_t captureOf(void* stream) const;
  /// Returns whether work on `stream` would be captured or break a capture. Unlike captureOf(), it knows that the
  /// default stream waits for others.
  bool isInCapture(void* stream) const;
};

} // namespace commtap
