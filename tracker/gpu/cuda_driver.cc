// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/cuda_driver.h"

#include <dlfcn.h>

#include <atomic>

namespace commtap {
namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool findAll(void* library, CudaDriver& driver) {
  return find(library, "cuStreamGetCaptureInfo_v2", driver.get_capture_info) &&
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

} // namespace commtap
