// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/device_samples.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "tracker/gpu/device_event.h"
#include "tracker/verify/tensor_digest.h"

namespace commtap {
namespace {

void giveUp(QueuedSample& queued, DeviceBatch& batch, const std::string& why) {
  queued.errors.push_back("cuda:" + std::to_string(batch.device) + ": " + why);
  std::move(batch.parts.begin(), batch.parts.end(), std::back_inserter(queued.missing));
  batch.parts.clear();
}

/// Leaves out the rows without values, and marks gradients that could not be sampled.
void removeMissing(QueuedSample& queued) {
  std::vector<SampleRow>& rows = queued.sample.rows;
  std::vector<bool> is_left_out(rows.size(), false);
  for (const DevicePart& part : queued.missing) {
    if (part.is_gradient) {
      rows[part.row].has_gradient = false;
      rows[part.row].is_gradient_unknown = true;
      rows[part.row].gradient = Digest();
    } else {
      is_left_out[part.row] = true;
    }
  }
  size_t row = 0;
  std::erase_if(rows, [&](const SampleRow&) { return is_left_out[row++]; });
}

} // namespace

void DeviceSamples::add(QueuedSample sample) {
  for (DeviceBatch& batch : sample.batches) {
    const Result<DigestLaunch*> launch = digests_.launch(batch.device, batch.stream, batch.tensors);
    if (launch) {
      batch.launch = *launch;
    } else {
      giveUp(sample, batch, launch.error());
    }
    batch.tensors = {};
  }
  queue_.push_back(std::move(sample));
}

/// Sets the digests of a batch whose launch does not run.
void DeviceSamples::settle(QueuedSample& queued, DeviceBatch& batch) {
  if (digests_.stateOf(*batch.launch) == DeviceDigests::State::kFailed) {
    giveUp(queued, batch, digests_.ended());
    return;
  }
  const std::vector<Digest> digests = DeviceDigests::digestsOf(*batch.launch);
  for (size_t i = 0; i < digests.size(); ++i) {
    SampleRow& row = queued.sample.rows[batch.parts[i].row];
    (batch.parts[i].is_gradient ? row.gradient : row.value) = digests[i];
  }
  DeviceDigests::release(*batch.launch);
}

std::optional<QueuedSample> DeviceSamples::takeDone() {
  if (queue_.empty()) {
    return std::nullopt;
  }
  const std::vector<DeviceBatch>& batches = queue_.front().batches;
  if (std::any_of(batches.begin(), batches.end(), [&](const DeviceBatch& batch) {
        return batch.launch != nullptr && digests_.stateOf(*batch.launch) == DeviceDigests::State::kRuns;
      })) {
    return std::nullopt;
  }
  QueuedSample queued = std::move(queue_.front());
  queue_.pop_front();
  for (DeviceBatch& batch : queued.batches) {
    if (batch.launch != nullptr) {
      settle(queued, batch);
    }
  }
  removeMissing(queued);
  return queued;
}

QueuedSample DeviceSamples::takeUndone() {
  QueuedSample queued = std::move(queue_.front());
  queue_.pop_front();
  return queued;
}

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

bool DeviceTensors::add(
    const c10::TensorImpl& tensor,
    DevicePart part,
    TensorUse use,
    std::optional<TensorPlace>& place) {
  std::optional<DeviceTensor> found = deviceTensorOf(tensor);
  if (!found) {
    return false;
  }
  if (place && !setPlace(*place, *found)) {
    found->elements.is_placed = 0;
    place.reset();
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
