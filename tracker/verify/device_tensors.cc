// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/device_tensors.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "tracker/gpu/cuda_driver.h"
#include "tracker/verify/tensor_digest.h"

namespace commtap {
namespace {

const c10::impl::DeviceGuardImplInterface& cuda() {
  return *c10::impl::getDeviceGuardImpl(c10::DeviceType::CUDA);
}

c10::Stream currentStream(int device) {
  return cuda().getStream(c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)));
}

} // namespace

DeviceBatch& DeviceTensors::batchOf(int device) {
  const auto is_it = [device](const DeviceBatch& batch) { return batch.device == device; };
  const auto found = std::find_if(batches_.begin(), batches_.end(), is_it);
  if (found != batches_.end()) {
    return *found;
  }
  DeviceBatch batch;
  batch.device = device;
  batch.stream = cuda().getStreamNativeHandle(currentStream(device));
  batches_.push_back(std::move(batch));
  return batches_.back();
}

bool DeviceTensors::add(const c10::TensorImpl& tensor, DevicePart part, TensorUse use) {
  const std::optional<DeviceTensor> found = deviceTensorOf(tensor);
  if (!found) {
    return false;
  }
  DeviceBatch& batch = batchOf(found->device);
  batch.tensors.push_back(found->elements);
  batch.parts.push_back(std::move(part));
  const CudaDriver* driver = CudaDriver::get();
  if (use == TensorUse::kOther && driver != nullptr && !driver->isInCapture(batch.stream)) {
    cuda().recordDataPtrOnStream(found->storage.data_ptr(), currentStream(found->device));
  }
  kept_.push_back(found->storage);
  return true;
}

void DeviceTensors::removeRow(size_t row) noexcept {
  for (DeviceBatch& batch : batches_) {
    while (!batch.parts.empty() && batch.parts.back().row == row) {
      batch.parts.pop_back();
    }
    while (batch.tensors.size() > batch.parts.size()) { // add() may have thrown between the two
      batch.tensors.pop_back();
    }
  }
  std::erase_if(batches_, [](const DeviceBatch& batch) { return batch.parts.empty(); });
}

std::vector<DeviceBatch> DeviceTensors::takeBatches() {
  return std::exchange(batches_, {});
}

} // namespace commtap
