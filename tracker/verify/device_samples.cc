// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/device_samples.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

} // namespace commtap
