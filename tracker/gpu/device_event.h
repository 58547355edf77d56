// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tracker/core/thread_state.h"

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

/// An event of CUDA's driver that has the time at which its stream came to it. Its destructor keeps the driver's event
/// for reuse: to create one costs more than to record it.
class DeviceEvent {
 public:
  /// Returns an event that is not recorded; std::nullopt if the driver cannot create one. `context` is the current one.
  static std::optional<DeviceEvent> take(const CudaDriver& driver, void* context);
  static void resetInForkedChild();

  DeviceEvent(DeviceEvent&& other) noexcept
      : context_(other.context_), handle_(std::exchange(other.handle_, nullptr)) {}
  DeviceEvent& operator=(DeviceEvent&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;
  ~DeviceEvent();

  bool record(const CudaDriver& driver, void* stream) const {
    return driver.record_event(handle_, stream) == 0;
  }
  /// Returns whether the stream has come to the event; std::nullopt for an error. Makes its context the current one.
  std::optional<bool> isOver(const CudaDriver& driver) const;
  /// Returns the ms from `from`, which is over too, to this event: negative if this one came first; std::nullopt for an
  /// error, as for events of two devices. Makes its context the current one.
  std::optional<double> since(const CudaDriver& driver, const DeviceEvent& from) const;

 private:
  DeviceEvent(void* context, void* handle) : context_(context), handle_(handle) {}

  void* context_;
  void* handle_; ///< null: moved from
};

/// A stream. Its handle is null for the default stream of each device, so the context is the identity of that one.
using StreamId = const void*;

struct DeviceSpan;
using SpanRef = std::shared_ptr<DeviceSpan>;

/// A wait for collectives: of a stream that computes, whose work has come to it, or of a thread of the job.
struct Arrival {
  Stalled where;                 ///< what the job was about to compute
  std::optional<DeviceEvent> at; ///< when the stream came to the wait; not set for a thread
  /// The collective that has completed last of those waited for; not set at first. From there on, later ones count.
  SpanRef last;
  std::vector<SpanRef> spans;         ///< a thread's wait only: each that it waited for
  std::atomic<uint64_t> waited_ns{0}; ///< a thread's wait only, by the host's clock; 0: it waits still
};

/// The work of collectives on one stream, between two events.
struct DeviceSpan {
  void* stream = nullptr;
  StreamId id = nullptr;
  std::optional<DeviceEvent> from;
  std::optional<DeviceEvent> to;
  std::vector<OpFrame> calls; ///< the collectives that the span is a part of
  bool stalls = false;        ///< its stream computes, so what comes next there waits for its end
  Stalled where;              ///< if `stalls`
  /// The waits for it. StreamOrder's lock guards this, until the polling thread has taken it.
  std::vector<std::shared_ptr<Arrival>> arrivals;
  bool is_over = false; ///< the polling thread has taken `arrivals`
};

/// Returns the identity of a stream of the current context.
StreamId streamId(const CudaDriver& driver, void* stream);

} // namespace commtap
