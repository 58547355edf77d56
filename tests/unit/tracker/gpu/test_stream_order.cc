// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/stream_order.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string_view>
#include <thread>
#include <tuple>

#include "tests/cuda/fake_cuda.h"
#include "tests/unit/fake_gpu.h"
#include "tests/unit/issued_call.h"
#include "tracker/gpu/device_timing.h"
#include "tracker/gpu/graph_captures.h"

namespace commtap {
namespace {

constexpr uint64_t kMs = 1'000'000;

/// A job on the fake device, which begins its work when a test asks for a time: the polling thread counts nothing
/// before the test has queued all. Each collective is of an op of its own, and runs on `comm` unless another stream is
/// named.
class StreamOrderFixture : public TrackerFixture {
 public:
  StreamOrderFixture() {
    const uint64_t now = computing().clock_ns; // the default stream is the same in all tests
    comm.clock_ns = now;
    side.clock_ns = now;
    fake_cuda_hold(true);
  }
  ~StreamOrderFixture() {
    fake_cuda_hold(false);
    thread.frame = nullptr;
    DeviceTiming::start({});
  }

  /// The default stream, which always computes.
  static fake_stream& computing() {
    return *fake_cuda_stream(nullptr);
  }
  static void compute(uint64_t ms) {
    fake_cuda_give_work(&computing(), ms * kMs);
  }

  void collective(std::string_view op, uint64_t ms, void* stream) {
    OpFrame frame = issuedCall(op, 64);
    thread.frame = &frame;
    commtap_nccl_call call{COMMTAP_NCCL_AllReduce, 7, 8, nullptr, stream, nullptr, 0, nullptr, nullptr};
    call.timer = DeviceTiming::begins(&call);
    fake_cuda_give_work(fake_cuda_stream(static_cast<fake_stream*>(stream)), ms * kMs);
    DeviceTiming::returned(thread, call);
    thread.frame = nullptr;
  }
  void collective(std::string_view op, uint64_t ms) {
    collective(op, ms, &comm);
  }

  fake_event* recorded(void* stream) {
    fake_event* event = nullptr;
    cuEventCreate(&event, 0);
    cuEventRecord(event, static_cast<fake_stream*>(stream));
    hooks.recorded(event, stream);
    return event;
  }
  void wait(void* stream, fake_event* event) const {
    hooks.waits(stream, event);
    cuStreamWaitEvent(static_cast<fake_stream*>(stream), event, 0);
  }

  /// Returns the ms that the collective of this op was exposed, once it is counted.
  double exposed(std::string_view op) const {
    fake_cuda_hold(false);
    for (int i = 0; i < 1000 && rows(op)[0].time.of(DurationKind::kRunning).count == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    REQUIRE(rows(op)[0].time.of(DurationKind::kRunning).count == 1);
    return static_cast<double>(rows(op)[0].time.of(DurationKind::kExposed).sum_ns) / kMs;
  }

  ThreadState& thread = *ThreadState::current();
  const commtap_streams& hooks = startedHooks();
  fake_stream comm{};
  fake_stream side{};

 private:
  static const commtap_streams& startedHooks() {
    DeviceTiming::start({1, true});
    return *StreamOrder::hooks();
  }
};

TEST_CASE_FIXTURE(StreamOrderFixture, "what runs on a stream that computes is exposed as a whole") {
  collective("order.sync", 4, nullptr);
  CHECK(exposed("order.sync") == 4);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "computation hides none, half, or all of a collective") {
  collective("order.none", 10);
  wait(nullptr, recorded(&comm));
  collective("order.half", 10);
  compute(5);
  wait(nullptr, recorded(&comm));
  collective("order.all", 10);
  compute(15);
  wait(nullptr, recorded(&comm));
  CHECK(exposed("order.none") == 10);
  CHECK(exposed("order.half") == 5);
  CHECK(exposed("order.all") == 0);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "a collective that nothing waits for is not exposed") {
  collective("order.unawaited", 10);
  CHECK(exposed("order.unawaited") == 0);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "of two waits for one collective the longest counts") {
  collective("order.twice", 10);
  fake_event* event = recorded(&comm);
  compute(7);
  wait(nullptr, event);
  wait(nullptr, event);
  wait(&side, event); // it does not compute
  CHECK(exposed("order.twice") == 3);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "one wait for three is shared out in the order of their ends") {
  collective("order.first", 10);
  collective("order.second", 20);
  collective("order.third", 30);
  compute(25);
  wait(nullptr, recorded(&comm));
  CHECK(exposed("order.first") == 0);
  CHECK(exposed("order.second") == 5);
  CHECK(exposed("order.third") == 30);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "a gap between two collectives is not exposed") {
  collective("order.before", 10);
  fake_cuda_give_work(&comm, 40 * kMs); // of the job's own
  collective("order.behind", 10);
  wait(nullptr, recorded(&comm));
  CHECK(exposed("order.before") == 10);
  CHECK(exposed("order.behind") == 10);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "a stream in between passes the wait on") {
  collective("order.inner", 10);
  wait(&side, recorded(&comm));
  collective("order.outer", 5, &side);
  wait(nullptr, recorded(&side));
  CHECK(exposed("order.inner") == 10);
  CHECK(exposed("order.outer") == 5);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "an event has what came before it, and not what comes later") {
  collective("order.in", 10);
  fake_event* event = recorded(&comm);
  collective("order.out", 10);
  wait(nullptr, event);
  CHECK(exposed("order.in") == 10);
  CHECK(exposed("order.out") == 0);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "communication that waits for computation is not exposed by that") {
  compute(20);
  wait(&comm, recorded(nullptr));
  collective("order.after", 10);
  compute(4);
  wait(nullptr, recorded(&comm));
  CHECK(exposed("order.after") == 6);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "a stream under which a module is called computes") {
  fake_stream& current = FakeGpu::get().streams[0];
  current = {};
  current.clock_ns = comm.clock_ns;
  thread.computing_stream = nullptr;
  StreamOrder::moduleCalled(thread);
  CHECK(thread.computing_stream == &current);
  collective("order.by_module", 10);
  wait(&current, recorded(&comm));
  CHECK(exposed("order.by_module") == 10);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "while a stream captures, no wait is seen") {
  collective("order.captured", 10);
  fake_event* event = recorded(&comm);
  {
    const FakeCapture capture(side);
    GraphCaptures::hooks()->capture_began();
    const uint64_t forbidden = fake_cuda_forbidden_calls();
    hooks.waits(nullptr, event);
    CHECK(fake_cuda_forbidden_calls() == forbidden);
    GraphCaptures::hooks()->capture_ended(side.capture, nullptr);
  }
  CHECK(exposed("order.captured") == 0);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "a thread waits by the host's clock, at most as long as the collective runs") {
  for (const auto& [op, ran_ms, by_event] :
       {std::tuple("order.stream", 1000, false),
        std::tuple("order.event", 1000, true),
        std::tuple("order.short", 2, false)}) {
    collective(op, ran_ms);
    fake_event* event = recorded(&comm);
    void* wait = by_event ? hooks.host_waits(nullptr, event) : hooks.host_waits(&comm, nullptr);
    REQUIRE(wait != nullptr);
    fake_cuda_hold(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(40)); // the polling thread must not count it before the end
    hooks.host_waited(wait);
    fake_cuda_hold(true);
  }
  CHECK(exposed("order.stream") >= 40);
  CHECK(exposed("order.stream") < 900);
  CHECK(exposed("order.event") >= 40);
  CHECK(exposed("order.event") < 900);
  CHECK(exposed("order.short") == 2);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "a thread's wait for a stream that computes is not one for a collective") {
  collective("order.of_compute", 10);
  wait(nullptr, recorded(&comm));
  CHECK(hooks.host_waits(nullptr, nullptr) == nullptr);
  CHECK(hooks.host_waits(nullptr, recorded(nullptr)) == nullptr);
  CHECK(exposed("order.of_compute") == 10);
}

TEST_CASE_FIXTURE(StreamOrderFixture, "the calls of a group share its exposure") {
  OpFrame first = issuedCall("order.group_a", 64);
  OpFrame second = issuedCall("order.group_b", 64);
  thread.nccl_groups_open = 1;
  for (OpFrame* frame : {&first, &second}) {
    thread.frame = frame;
    commtap_nccl_call call{COMMTAP_NCCL_AllReduce, 7, 8, nullptr, nullptr, nullptr, 0, nullptr, nullptr};
    call.timer = DeviceTiming::begins(&call);
    DeviceTiming::returned(thread, call);
  }
  compute(10);
  thread.nccl_groups_open = 0;
  DeviceTiming::returned(thread, {COMMTAP_NCCL_GroupEnd, -1, 0, nullptr, nullptr, nullptr, 0, nullptr, nullptr});
  CHECK(exposed("order.group_a") == 5);
  CHECK(exposed("order.group_b") == 5);
}

} // namespace
} // namespace commtap
