// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>

#include "tracker/gpu/cuda_driver.h"

namespace commtap {

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

} // namespace commtap
