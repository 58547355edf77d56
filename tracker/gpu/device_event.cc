// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/device_event.h"

#include <dlfcn.h>

#include <atomic>
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

namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool findForKernels(void* library, CudaDriver& driver) {
  return find(library, "cuStreamIsCapturing", driver.is_capturing) &&
         find(library, "cuCtxPushCurrent_v2", driver.push_context) &&
         find(library, "cuCtxPopCurrent_v2", driver.pop_context) && find(library, "cuDeviceGet", driver.get_device) &&
         find(library, "cuDeviceGetAttribute", driver.get_attribute) &&
         find(library, "cuDevicePrimaryCtxGetState", driver.get_primary_state) &&
         find(library, "cuDevicePrimaryCtxRetain", driver.retain_primary) &&
         find(library, "cuDevicePrimaryCtxRelease_v2", driver.release_primary) &&
         find(library, "cuMemAlloc_v2", driver.allocate) && find(library, "cuMemHostAlloc", driver.allocate_on_host) &&
         find(library, "cuMemcpyHtoDAsync_v2", driver.copy_to_device) &&
         find(library, "cuMemcpyDtoHAsync_v2", driver.copy_to_host) && find(library, "cuMemsetD8Async", driver.fill) &&
         find(library, "cuModuleLoadData", driver.load_module) &&
         find(library, "cuModuleGetFunction", driver.get_function) && find(library, "cuLaunchKernel", driver.launch);
}

bool findAll(void* library, CudaDriver& driver) {
  return findForKernels(library, driver) && find(library, "cuStreamGetCaptureInfo_v2", driver.get_capture_info) &&
         find(library, "cuThreadExchangeStreamCaptureMode", driver.exchange_capture_mode) &&
         find(library, "cuCtxGetCurrent", driver.get_context) && find(library, "cuCtxSetCurrent", driver.set_context) &&
         find(library, "cuEventCreate", driver.create_event) &&
         find(library, "cuEventDestroy_v2", driver.destroy_event) &&
         find(library, "cuEventRecord", driver.record_event) && find(library, "cuEventQuery", driver.query_event) &&
         find(library, "cuEventElapsedTime", driver.elapsed);
}

const CudaDriver* load() {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    dlerror(); // the job must not see this error
    return nullptr;
  }
  auto* driver = new CudaDriver(); // leaked on purpose, like the reference to the library
  if (findAll(library, *driver)) {
    return driver;
  }
  delete driver;
  dlclose(library);
  dlerror();
  return nullptr;
}

} // namespace

const CudaDriver* CudaDriver::get() {
  static std::atomic<const CudaDriver*> loaded{nullptr};
  const CudaDriver* driver = loaded.load(std::memory_order_acquire);
  if (driver == nullptr) {
    driver = load();
    loaded.store(driver, std::memory_order_release); // if two threads store, both values are valid
  }
  return driver;
}

uint64_t CudaDriver::captureOf(void* stream) const {
  int status = 0;
  uint64_t id = 0;
  const bool told = get_capture_info(stream, &status, &id, nullptr, nullptr, nullptr) == 0;
  return told && status == kCapturing ? id : 0;
}

bool CudaDriver::isInCapture(void* stream) const {
  int status = 0;
  return is_capturing(stream, &status) != 0 ||
         status != 0; // an error, if a stream captures that the default one waits for
}

} // namespace commtap
