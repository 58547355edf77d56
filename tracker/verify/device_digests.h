// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/samples/samples.h"
#include "tracker/gpu/device_event.h"
#include "tracker/verify/digest_kernel.h"

namespace commtap {

/// The memory of a launch, on the device and on the host. One that is done serves another launch.
struct DigestLaunch {
  void* context = nullptr;
  void* event = nullptr;     ///< after the copy of the results
  uint64_t memory = 0;       ///< of the device: the tensors, then the results
  std::byte* host = nullptr; ///< pinned, with the same layout
  size_t capacity = 0;       ///< tensors
  size_t tensors = 0;        ///< 0: not in use
};

/// Digests of tensors in the memory of GPUs: one launch of a kernel of commtap's own per device, in the order of the
/// job's stream, and a copy into pinned memory. Nothing waits: not the host for the device, nor a stream for another.
/// Creates no context, and makes no call that breaks a capture. An error of the driver switches it off. Not for
/// several threads at once.
class DeviceDigests {
 public:
  static constexpr size_t kMostLaunches = 8;              ///< of a device, that are not done
  static constexpr size_t kMostBytes = size_t{64} << 20U; ///< of a device's memory, except for the first launch

  enum class State : uint8_t { kRuns, kDone, kFailed };

  /// Launches the kernel for tensors on a device. Returns the launch, which release() ends, or why there is none.
  Result<DigestLaunch*> launch(int device, void* stream, std::span<const DigestTensor> tensors);
  /// Asks whether a launch is done.
  State stateOf(const DigestLaunch& launch);
  /// Returns the digests of a launch that is done, in the order of its tensors.
  static std::vector<Digest> digestsOf(const DigestLaunch& launch);
  /// Frees a launch that is done for reuse.
  static void release(DigestLaunch& launch) {
    launch.tensors = 0;
  }

  /// Returns why there are no launches any longer; "" if there are.
  const std::string& ended() const {
    return ended_;
  }

 private:
  struct Device {
    void* function = nullptr; ///< the kernel
    int processors = 0;
    size_t bytes = 0;
    std::vector<std::unique_ptr<DigestLaunch>> launches;
  };

  bool succeeds(int result, const char* function);
  bool prepare(const CudaDriver& driver, int number, Device& device);
  Result<DigestLaunch*> freeLaunch(const CudaDriver& driver, void* context, Device& device, size_t tensors);
  bool allocate(const CudaDriver& driver, DigestLaunch& launch);
  bool
  enqueue(const CudaDriver& driver, const Device& device, const DigestLaunch& launch, uint64_t blocks, void* stream);
  Result<DigestLaunch*> launchIn(void* context, int number, void* stream, std::span<const DigestTensor> tensors);

  std::map<int, Device> devices_;
  std::string ended_;
};

} // namespace commtap
