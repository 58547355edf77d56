// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/device_digests.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace commtap {
namespace {

/// digest_kernel.cu as PTX.
constexpr char kPtx[] =
#include "tracker/verify/digest_kernel.ptx"
    ;

constexpr unsigned kThreads = 256; ///< of a block
constexpr unsigned kBlocksPerProcessor = 8;
constexpr size_t kStep = 1024;                                         ///< tensors: a launch has room for a multiple
constexpr size_t kBytes = sizeof(DigestTensor) + sizeof(DigestResult); ///< per tensor

/// While it exists, calls of this thread do not invalidate captures of other threads.
class RelaxedCaptures {
 public:
  explicit RelaxedCaptures(const CudaDriver& driver) : driver_(driver) {
    driver_.exchange_capture_mode(&mode_);
  }
  RelaxedCaptures(const RelaxedCaptures&) = delete;
  RelaxedCaptures& operator=(const RelaxedCaptures&) = delete;
  ~RelaxedCaptures() {
    driver_.exchange_capture_mode(&mode_);
  }

 private:
  const CudaDriver& driver_;
  int mode_ = CudaDriver::kRelaxed;
};

/// Makes a context this thread's current one while it exists.
class CurrentContext {
 public:
  CurrentContext(const CudaDriver& driver, void* context) : driver_(driver), error_(driver.push_context(context)) {}
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() {
    void* context = nullptr;
    if (error_ == 0) {
      driver_.pop_context(&context);
    }
  }
  int error() const {
    return error_;
  }

 private:
  const CudaDriver& driver_;
  int error_;
};

/// Holds a device's primary context, which torch uses, while it exists. Has none if the device has none.
class PrimaryContext {
 public:
  PrimaryContext(const CudaDriver& driver, int number) : driver_(driver) {
    unsigned flags = 0;
    int is_active = 0;
    if (driver.get_device(&device_, number) != 0 || driver.get_primary_state(device_, &flags, &is_active) != 0 ||
        is_active == 0 || driver.retain_primary(&context_, device_) != 0) {
      context_ = nullptr;
    }
  }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext() {
    if (context_ != nullptr) {
      driver_.release_primary(device_);
    }
  }
  void* get() const {
    return context_;
  }

 private:
  const CudaDriver& driver_;
  int device_ = 0;
  void* context_ = nullptr;
};

uint64_t blocksOf(const DigestTensor& tensor) {
  return (tensor.elements + kDigestBlock - 1) / kDigestBlock;
}

DigestTensor* tensorsOf(const DigestLaunch& launch) {
  return reinterpret_cast<DigestTensor*>(launch.host);
}

size_t resultsAt(const DigestLaunch& launch) {
  return launch.capacity * sizeof(DigestTensor);
}

/// Writes the table of a launch. Returns the number of blocks of all tensors.
uint64_t writeTable(DigestLaunch& launch, std::span<const DigestTensor> tensors) {
  uint64_t blocks = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    DigestTensor& entry = tensorsOf(launch)[i];
    entry = tensors[i];
    entry.first_block = blocks;
    blocks += blocksOf(entry);
  }
  launch.tensors = tensors.size();
  return blocks;
}

Digest digestFrom(const DigestResult& result) {
  Digest digest;
  digest.bits = result.bits;
  digest.squares = result.squares;
  std::copy_n(static_cast<const double*>(result.sums), kDigestSums, digest.sums.begin());
  digest.is_constant = result.differs == 0;
  digest.has_non_finite = result.non_finite != 0;
  return digest;
}

} // namespace

static_assert(kKernelSums == kDigestSums);

/// Returns whether a call of the driver succeeded. Otherwise notes it as the end of all launches.
bool DeviceDigests::succeeds(int result, const char* function) {
  if (result != 0 && ended_.empty()) {
    ended_ = std::string(function) + "() failed with CUDA's error " + std::to_string(result);
  }
  return result == 0;
}

/// Loads the kernel into the device's context, which is current.
bool DeviceDigests::prepare(const CudaDriver& driver, int number, Device& device) {
  void* loaded = nullptr; // never unloaded, like the memory: unloading may wait for the device
  int handle = 0;
  return device.function != nullptr ||
         (succeeds(driver.get_device(&handle, number), "cuDeviceGet") &&
          succeeds(driver.get_attribute(&device.processors, CudaDriver::kProcessors, handle), "cuDeviceGetAttribute") &&
          succeeds(driver.load_module(&loaded, kPtx), "cuModuleLoadData") &&
          succeeds(driver.get_function(&device.function, loaded, "commtapDigests"), "cuModuleGetFunction"));
}

bool DeviceDigests::allocate(const CudaDriver& driver, DigestLaunch& launch) {
  void* host = nullptr;
  if (!succeeds(driver.allocate(&launch.memory, launch.capacity * kBytes), "cuMemAlloc") ||
      !succeeds(driver.allocate_on_host(&host, launch.capacity * kBytes, 0), "cuMemHostAlloc") ||
      !succeeds(driver.create_event(&launch.event, CudaDriver::kWithoutTiming), "cuEventCreate")) {
    return false;
  }
  launch.host = static_cast<std::byte*>(host);
  return true;
}

/// Returns a launch that has room and is not in use: a new one if there is none.
Result<DigestLaunch*>
DeviceDigests::freeLaunch(const CudaDriver& driver, void* context, Device& device, size_t tensors) {
  for (const auto& launch : device.launches) {
    if (launch->tensors == 0 && launch->capacity >= tensors) {
      return launch.get();
    }
  }
  auto added = std::make_unique<DigestLaunch>();
  added->context = context;
  added->capacity = (tensors + kStep - 1) / kStep * kStep;
  const size_t bytes = device.bytes + added->capacity * kBytes;
  if (device.launches.size() == kMostLaunches || (device.bytes > 0 && bytes > kMostBytes)) {
    return Result<DigestLaunch*>::failure("the GPU had not yet completed earlier samples");
  }
  if (!allocate(driver, *added)) {
    return Result<DigestLaunch*>::failure(ended_);
  }
  device.bytes = bytes;
  device.launches.push_back(std::move(added));
  return device.launches.back().get();
}

bool DeviceDigests::enqueue(
    const CudaDriver& driver,
    const Device& device,
    const DigestLaunch& launch,
    uint64_t blocks,
    void* stream) {
  uint64_t table = launch.memory;
  uint64_t results = launch.memory + resultsAt(launch);
  auto count = static_cast<unsigned>(launch.tensors);
  std::array<void*, 4> arguments = {&table, &count, &blocks, &results};
  const auto most = static_cast<uint64_t>(device.processors) * kBlocksPerProcessor;
  const auto grid = static_cast<unsigned>(std::clamp<uint64_t>(blocks, 1, std::max<uint64_t>(most, 1)));
  const size_t bytes = launch.tensors * sizeof(DigestResult);
  return succeeds(
             driver.copy_to_device(table, launch.host, launch.tensors * sizeof(DigestTensor), stream),
             "cuMemcpyHtoDAsync") &&
         succeeds(driver.fill(results, 0, bytes, stream), "cuMemsetD8Async") &&
         succeeds(
             driver.launch(device.function, grid, 1, 1, kThreads, 1, 1, 0, stream, arguments.data(), nullptr),
             "cuLaunchKernel") &&
         succeeds(driver.copy_to_host(launch.host + resultsAt(launch), results, bytes, stream), "cuMemcpyDtoHAsync") &&
         succeeds(driver.record_event(launch.event, stream), "cuEventRecord");
}

/// Launches with the device's context as the current one.
Result<DigestLaunch*>
DeviceDigests::launchIn(void* context, int number, void* stream, std::span<const DigestTensor> tensors) {
  const CudaDriver& driver = *CudaDriver::get();
  if (driver.isInCapture(stream)) {
    return Result<DigestLaunch*>::failure("the step was captured in a CUDA graph");
  }
  Device& device = devices_[number];
  if (!prepare(driver, number, device)) {
    return Result<DigestLaunch*>::failure(ended_);
  }
  Result<DigestLaunch*> launch = freeLaunch(driver, context, device, tensors.size());
  if (launch && !enqueue(driver, device, **launch, writeTable(**launch, tensors), stream)) {
    return Result<DigestLaunch*>::failure(ended_);
  }
  return launch;
}

Result<DigestLaunch*> DeviceDigests::launch(int device, void* stream, std::span<const DigestTensor> tensors) {
  const CudaDriver* driver = CudaDriver::get();
  if (driver == nullptr) {
    ended_ = "the process has no CUDA driver, or one older than CUDA 11.3";
  }
  if (driver == nullptr || !ended_.empty()) {
    return Result<DigestLaunch*>::failure(ended_);
  }
  const RelaxedCaptures relaxed(*driver);
  const PrimaryContext primary(*driver, device);
  if (primary.get() == nullptr) {
    return Result<DigestLaunch*>::failure("cuda:" + std::to_string(device) + " has no context");
  }
  const CurrentContext current(*driver, primary.get());
  if (!succeeds(current.error(), "cuCtxPushCurrent")) {
    return Result<DigestLaunch*>::failure(ended_);
  }
  return launchIn(primary.get(), device, stream, tensors);
}

DeviceDigests::State DeviceDigests::stateOf(const DigestLaunch& launch) {
  const CudaDriver& driver = *CudaDriver::get();
  const RelaxedCaptures relaxed(driver);
  const CurrentContext current(driver, launch.context);
  const int answer = current.error() == 0 ? driver.query_event(launch.event) : current.error();
  if (answer == CudaDriver::kNotReady) {
    return State::kRuns;
  }
  return succeeds(answer, "cuEventQuery") ? State::kDone : State::kFailed;
}

std::vector<Digest> DeviceDigests::digestsOf(const DigestLaunch& launch) {
  const auto* results = reinterpret_cast<const DigestResult*>(launch.host + resultsAt(launch));
  std::vector<Digest> digests(launch.tensors);
  std::transform(results, results + launch.tensors, digests.begin(), digestFrom);
  return digests;
}

} // namespace commtap
