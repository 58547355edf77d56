// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/device_timing.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "tests/cuda/fake_cuda.h"
#include "tests/unit/issued_call.h"

namespace commtap {
namespace {

commtap_nccl_call callOn(fake_stream& stream) {
  return {COMMTAP_NCCL_AllReduce, 7, 8, nullptr, &stream, nullptr, 0, nullptr, nullptr};
}

class DeviceTimingFixture : public TrackerFixture {
 public:
  DeviceTimingFixture() {
    DeviceTiming::start({1, true});
    thread.frame = nullptr;
  }
  ~DeviceTimingFixture() {
    thread.frame = nullptr;
    DeviceTiming::start({});
  }

  /// Waits until the polling thread has counted `wanted` durations, for at most 2 s. Returns them.
  Durations running(std::string_view op, uint64_t wanted) const {
    Durations found;
    for (int i = 0; i < 1000 && found.count < wanted; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      found = rows(op)[0].time.of(DurationKind::kRunning);
    }
    return found;
  }

  ThreadState& thread = *ThreadState::current();
};

TEST_CASE_FIXTURE(DeviceTimingFixture, "a call outside of collectives is not timed") {
  fake_stream stream{};
  const commtap_nccl_call call = callOn(stream);
  CHECK(DeviceTiming::begins(&call) == nullptr);
  CHECK(DeviceTiming::kernelsExpected(&call) == nullptr);
}

TEST_CASE_FIXTURE(DeviceTimingFixture, "a collective takes the time that its stream works between the events") {
  OpFrame frame = issuedCall("test.device", 64);
  thread.frame = &frame;
  fake_stream stream{};
  commtap_nccl_call call = callOn(stream);
  call.timer = DeviceTiming::begins(&call);
  REQUIRE(call.timer != nullptr);
  fake_cuda_give_work(&stream, 250000);
  DeviceTiming::returned(thread, call);
  CHECK(frame.has_work);
  const Durations durations = running("test.device", 1);
  CHECK(durations.count == 1);
  CHECK(durations.sum_ns == 250000);
}

TEST_CASE_FIXTURE(DeviceTimingFixture, "a group of calls has one duration and counts the payload once") {
  OpFrame frame = issuedCall("test.group", 64);
  thread.frame = &frame;
  fake_stream stream{};
  thread.nccl_groups_open = 1;
  for (int i = 0; i < 2; ++i) {
    commtap_nccl_call call = callOn(stream);
    call.timer = DeviceTiming::begins(&call);
    DeviceTiming::returned(thread, call);
  }
  CHECK(thread.device_spans.size() == 1);
  fake_cuda_give_work(&stream, 4000000);
  thread.nccl_groups_open = 0;
  const commtap_nccl_call end{COMMTAP_NCCL_GroupEnd, -1, 0, nullptr, nullptr, nullptr, 0, nullptr, nullptr};
  DeviceTiming::returned(thread, end);
  CHECK(thread.device_spans.empty());
  CHECK(running("test.group", 1).sum_ns == 4000000);
  CHECK(rows("test.group")[0].time.bytes == 64);
}

TEST_CASE_FIXTURE(DeviceTimingFixture, "a call that fails has no duration") {
  OpFrame frame = issuedCall("test.failing", 64);
  thread.frame = &frame;
  fake_stream stream{};
  commtap_nccl_call call = callOn(stream);
  call.timer = DeviceTiming::begins(&call);
  call.result = 1;
  const uint64_t untimed = notSeen("untimed");
  DeviceTiming::returned(thread, call);
  CHECK(notSeen("untimed") == untimed + 1);
}

TEST_CASE_FIXTURE(DeviceTimingFixture, "the plugin's kernel times are counted; an unknown one is untimed") {
  OpFrame frame = issuedCall("test.kernels", 64);
  thread.frame = &frame;
  fake_stream stream{};
  const commtap_nccl_call call = callOn(stream);
  DeviceTiming::ran(DeviceTiming::kernelsExpected(&call), 7000);
  CHECK(running("test.kernels", 1).sum_ns == 7000);
  const uint64_t untimed = notSeen("untimed");
  DeviceTiming::ran(DeviceTiming::kernelsExpected(&call), 0);
  CHECK(notSeen("untimed") == untimed + 1);
}

} // namespace
} // namespace commtap
