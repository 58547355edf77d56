// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/device_event.h"

#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace commtap {
namespace {

struct FreeEvents {
  std::mutex mutex;
  std::unordered_map<void*, std::vector<void*>> by_context;
};

FreeEvents& freeEvents() {
  static FreeEvents* instance = new FreeEvents(); // leaked on purpose: threads call until the process exits
  return *instance;
}

} // namespace

std::optional<DeviceEvent> DeviceEvent::take(const CudaDriver& driver, void* context) {
  {
    const std::lock_guard<std::mutex> lock(freeEvents().mutex);
    std::vector<void*>& free = freeEvents().by_context[context];
    if (!free.empty()) {
      DeviceEvent event(context, free.back());
      free.pop_back();
      return event;
    }
  }
  void* handle = nullptr;
  if (driver.create_event(&handle, 0) != 0) {
    return std::nullopt;
  }
  return DeviceEvent(context, handle);
}

DeviceEvent::~DeviceEvent() {
  if (handle_ == nullptr) {
    return;
  }
  const std::lock_guard<std::mutex> lock(freeEvents().mutex);
  try {
    freeEvents().by_context[context_].push_back(handle_);
  } catch (const std::bad_alloc&) {
    CudaDriver::get()->destroy_event(handle_);
  }
}

std::optional<bool> DeviceEvent::isOver(const CudaDriver& driver) const {
  driver.set_context(context_);
  const int answer = driver.query_event(handle_);
  return answer == 0 || answer == CudaDriver::kNotReady ? std::optional<bool>(answer == 0) : std::nullopt;
}

std::optional<double> DeviceEvent::since(const CudaDriver& driver, const DeviceEvent& from) const {
  float ms = 0;
  driver.set_context(context_);
  if (driver.elapsed(&ms, from.handle_, handle_) != 0) {
    return std::nullopt;
  }
  return static_cast<double>(ms);
}

void DeviceEvent::resetInForkedChild() {
  new (&freeEvents()) FreeEvents(); // the old one may be half-written; CUDA does not work after a fork
}

} // namespace commtap
