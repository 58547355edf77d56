// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/fake_gpu.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace commtap {
namespace {

/// torch's interface to the devices; no device is ever changed.
struct FakeGuard final : c10::impl::NoOpDeviceGuardImpl<c10::DeviceType::CUDA> {
  c10::Device getDevice() const noexcept override {
    return {c10::DeviceType::CUDA, 0};
  }
  c10::Stream getStream(c10::Device device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  void* getStreamNativeHandle(const c10::Stream stream) const override {
    return &FakeGpu::get().streams[stream.device_index()];
  }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {
    ++FakeGpu::get().kept;
  }
};

} // namespace

FakeGpu& FakeGpu::get() {
  static auto* instance = new FakeGpu(); // leaked on purpose: the registry keeps the guard
  static const c10::impl::DeviceGuardImplRegistrar registrar(c10::DeviceType::CUDA, new FakeGuard());
  return *instance;
}

at::Tensor FakeGpu::tensor(const at::Tensor& values, int device) {
  get();
  const c10::Device where(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device));
  void* data = values.storage().mutable_data();
  c10::DataPtr memory(
      data, new at::Tensor(values), [](void* owner) { delete static_cast<at::Tensor*>(owner); }, where);
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), values.storage().nbytes(), std::move(memory), nullptr, false);
  auto impl = c10::make_intrusive<c10::TensorImpl>(
      c10::Storage(std::move(storage)), c10::DispatchKeySet(c10::DispatchKey::CUDA), values.dtype());
  impl->set_sizes_and_strides(values.sizes(), values.strides(), values.storage_offset());
  return at::Tensor(std::move(impl));
}

DeviceEvent FakeGpu::recordedOn(fake_stream& stream) {
  const CudaDriver& driver = *CudaDriver::get();
  void* context = nullptr;
  driver.get_context(&context);
  std::optional<DeviceEvent> event = DeviceEvent::take(driver, context);
  REQUIRE(event);
  REQUIRE(event->record(driver, &stream));
  return std::move(*event);
}

void FakeGpu::waitForEvents() {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

} // namespace commtap
