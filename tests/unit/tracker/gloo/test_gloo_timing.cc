// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gloo/gloo_timing.h"

#include "tests/unit/torch_doctest.h"

#include <torch/csrc/distributed/c10d/Work.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>

#include "tests/unit/issued_call.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/core/clock.h"

namespace commtap {
namespace {

/// A work as Gloo has it: failed() ends it with an error.
class FakeWork final : public c10d::Work {
 public:
  void failed() {
    finish(std::make_exception_ptr(std::runtime_error("peer gone")));
  }
};
using WorkPointer = c10::intrusive_ptr<FakeWork>;

constexpr uint64_t kMs = 1'000'000;

void sleepMs(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

/// The body of the fake c10d functions. A body may set another one.
std::function<void()> c10d_body;
void runBody() {
  if (const std::function<void()> now = c10d_body) {
    now();
  }
}
void* seen_group = nullptr;
void* seen_work = nullptr;

class GlooTimingFixture : public TrackerFixture {
 public:
  GlooTimingFixture() {
    start(1);
  }
  GlooTimingFixture(const GlooTimingFixture&) = delete;
  GlooTimingFixture& operator=(const GlooTimingFixture&) = delete;
  ~GlooTimingFixture() {
    thread.frame = nullptr;
    c10d_body = nullptr;
    GlooTiming::start({});
  }

  static void start(uint32_t every) {
    REQUIRE(GlooTiming::start({every, false}));
  }
  static const commtap_timing& hooks() {
    REQUIRE(GlooTiming::hooks() != nullptr);
    return *GlooTiming::hooks();
  }

  void enqueue(WorkPointer& work, void* group = nullptr) {
    const auto real = [](void* to, void* work_pointer) {
      seen_group = to;
      seen_work = work_pointer;
    };
    hooks().enqueue(real, group, &work);
  }
  /// Enqueues `work` inside the collective `call`.
  void enqueueIn(OpFrame& call, WorkPointer& work) {
    thread.frame = &call;
    enqueue(work);
    thread.frame = nullptr;
  }
  /// Runs `work` as one of Gloo's threads does.
  static void execute(WorkPointer& work) {
    const auto real = [](void* work_pointer) {
      seen_work = work_pointer;
      runBody();
    };
    std::thread([&] { hooks().execute(real, &work); }).join();
  }
  static bool wait(const WorkPointer& work, long timeout_ms = 7) {
    const auto real = [](void*, long ms) {
      runBody();
      return ms == 7;
    };
    return hooks().wait(real, work.get(), timeout_ms);
  }

  Durations durations(std::string_view op, DurationKind kind) const {
    return rows(op).at(0).time.of(kind);
  }
  LastCollective last() const {
    return report().last.back();
  }

  ThreadState& thread = *ThreadState::current();
};

TEST_CASE_FIXTURE(TrackerFixture, "without durations asked for there are no hooks") {
  REQUIRE(GlooTiming::start({}));
  CHECK_FALSE(GlooTiming::isOn());
  CHECK(GlooTiming::hooks() == nullptr);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "a work is queued until a thread of Gloo runs it, and then runs") {
  OpFrame call = issuedCall("gloo.run", 64);
  call.issued_at_ns = steadyNow();
  WorkPointer work = c10::make_intrusive<FakeWork>();
  enqueueIn(call, work);
  CHECK(call.has_work);
  sleepMs(3);
  c10d_body = [this] {
    CHECK(last().state == LastState::kIssued);
    CHECK(last().started_at_ns);
    sleepMs(5);
  };
  execute(work);
  CHECK(durations("gloo.run", DurationKind::kQueued).count == 1);
  CHECK(durations("gloo.run", DurationKind::kQueued).sum_ns >= 3 * kMs);
  CHECK(durations("gloo.run", DurationKind::kRunning).count == 1);
  CHECK(durations("gloo.run", DurationKind::kRunning).sum_ns >= 5 * kMs);
  CHECK(durations("gloo.run", DurationKind::kExposed).count == 0);
  CHECK(rows("gloo.run")[0].time.bytes == 64);
  CHECK(last().state == LastState::kCompleted);
  CHECK(last().completed_at_ns >= last().started_at_ns);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "c10d's functions are called with their arguments, and their results returned") {
  int group = 0;
  WorkPointer work = c10::make_intrusive<FakeWork>();
  enqueue(work, &group); // outside of any collective
  CHECK(seen_group == &group);
  CHECK(seen_work == &work);
  seen_work = nullptr;
  execute(work);
  CHECK(seen_work == &work);
  CHECK(wait(work));
  CHECK_FALSE(wait(work, 8));
  OpFrame call = issuedCall("gloo.arguments", 8);
  enqueueIn(call, work);
  CHECK_FALSE(wait(work, 8));
  CHECK(work.use_count() == 1);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "a wait is what exposes its thread, and completes a work that still runs") {
  OpFrame call = issuedCall("gloo.wait", 16);
  WorkPointer work = c10::make_intrusive<FakeWork>();
  enqueueIn(call, work);
  c10d_body = [&] {
    c10d_body = [] { sleepMs(5); };
    CHECK(wait(work));
    CHECK(last().state == LastState::kCompleted);
  };
  execute(work);
  CHECK(durations("gloo.wait", DurationKind::kExposed).count == 1);
  CHECK(durations("gloo.wait", DurationKind::kExposed).sum_ns >= 5 * kMs);
  const Stalls stalls = rows("gloo.wait")[0].time.stalled_in;
  REQUIRE(stalls.size() == 1);
  CHECK(stalls.begin()->first.module == "Global");
  CHECK(stalls.begin()->second.exposed_ns == durations("gloo.wait", DurationKind::kExposed).sum_ns);
  CHECK(durations("gloo.wait", DurationKind::kRunning).count == 1); // not again when execute() returns
  CHECK(wait(work));
  CHECK(durations("gloo.wait", DurationKind::kExposed).count == 1);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "a work that fails has no duration") {
  OpFrame call = issuedCall("gloo.failed", 16);
  WorkPointer work = c10::make_intrusive<FakeWork>();
  enqueueIn(call, work);
  c10d_body = [&] { work->failed(); };
  execute(work);
  CHECK(durations("gloo.failed", DurationKind::kRunning).count == 0);
  CHECK(last().state == LastState::kFailed);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "an exception of a wait reaches the job, and the collective has failed") {
  OpFrame call = issuedCall("gloo.throws", 16);
  WorkPointer work = c10::make_intrusive<FakeWork>();
  enqueueIn(call, work);
  c10d_body = [] { throw std::out_of_range("timed out"); };
  CHECK_THROWS_WITH_AS(wait(work), "timed out", std::out_of_range);
  CHECK(last().state == LastState::kFailed);
  CHECK(durations("gloo.throws", DurationKind::kExposed).count == 1);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "several works of one call have a time each, and the payload once") {
  OpFrame call = issuedCall("gloo.works", 64);
  WorkPointer first = c10::make_intrusive<FakeWork>();
  WorkPointer second = c10::make_intrusive<FakeWork>();
  enqueueIn(call, first);
  enqueueIn(call, second);
  execute(first);
  execute(second);
  CHECK(durations("gloo.works", DurationKind::kRunning).count == 2);
  CHECK(rows("gloo.works")[0].time.bytes == 64);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "of a sample the works of every N-th step are timed") {
  start(3);
  for (int nth = 0; nth < 9; ++nth) {
    ProcessLedger::ledger().closeStep(steadyNow(), StepSign::kMark);
    OpFrame call = issuedCall("gloo.sample", 8);
    WorkPointer work = c10::make_intrusive<FakeWork>();
    enqueueIn(call, work);
    execute(work);
    OpFrame second = issuedCall("gloo.sample", 8);
    work = c10::make_intrusive<FakeWork>();
    enqueueIn(second, work);
    execute(work);
  }
  CHECK(durations("gloo.sample", DurationKind::kRunning).count == 2 * 3);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "a send or receive is timed from the work that it returned") {
  OpFrame call = issuedCall("gloo.send", 8);
  const WorkPointer work = c10::make_intrusive<FakeWork>();
  GlooTiming::pointToPointIssued(work.get(), call, &thread);
  CHECK(call.has_work);
  CHECK(wait(work));
  CHECK(durations("gloo.send", DurationKind::kExposed).count == 1);
  CHECK(durations("gloo.send", DurationKind::kRunning).count == 0); // nothing shows when it began
  CHECK(last().state == LastState::kCompleted);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "while DDP waits for its buckets, its own works expose the thread in turn") {
  OpFrame call = issuedCall("gloo.bucket", 8);
  OpFrame other = issuedCall("gloo.other", 8);
  std::array<WorkPointer, 2> works{c10::make_intrusive<FakeWork>(), c10::make_intrusive<FakeWork>()};
  WorkPointer others = c10::make_intrusive<FakeWork>();
  for (WorkPointer& work : works) {
    enqueueIn(call, work);
  }
  std::thread([&] {
    ThreadState::current()->frame = &other;
    enqueue(others);
  }).join();
  static std::function<void()> in_reducer;
  in_reducer = [&] {
    c10d_body = [] { sleepMs(4); };
    for (WorkPointer* work : {&works[0], &others, &works[1]}) {
      execute(*work);
    }
  };
  int reducer = 0;
  hooks().finalize_backward(
      [](void* passed) {
        seen_group = passed;
        in_reducer();
      },
      &reducer);
  CHECK(seen_group == &reducer);
  const Durations exposed = durations("gloo.bucket", DurationKind::kExposed);
  CHECK(exposed.count == 2);
  CHECK(exposed.sum_ns >= 12 * kMs); // the second one's includes the other thread's work
  CHECK(durations("gloo.other", DurationKind::kExposed).count == 0);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "the last bucket wakes DDP before Gloo's thread reports it") {
  CollectiveKey key{};
  key.module = ModuleRegistry::get().add(0, "Ddp", "DistributedDataParallel", ModuleRole::kDdp, false);
  key.phase = Phase::kBackward;
  OpFrame call = issuedCall("gloo.last", 8, key);
  OpFrame plain = issuedCall("gloo.plain", 8);
  for (OpFrame* last : {&call, &plain}) {
    WorkPointer work = c10::make_intrusive<FakeWork>();
    enqueueIn(*last, work);
    std::promise<void> begun;
    std::promise<void> reducer_returned;
    c10d_body = [&] {
      begun.set_value();
      reducer_returned.get_future().wait();
    };
    std::thread gloo([&] { execute(work); });
    begun.get_future().wait();
    hooks().finalize_backward([](void*) { sleepMs(5); }, nullptr);
    CHECK(durations("gloo.last", DurationKind::kExposed).count == 1);
    CHECK(durations("gloo.last", DurationKind::kExposed).sum_ns >= 5 * kMs);
    CHECK(durations("gloo.last", DurationKind::kRunning).count == 1);
    CHECK(durations("gloo.plain", DurationKind::kRunning).count == 0);
    reducer_returned.set_value();
    gloo.join();
    CHECK(durations("gloo.last", DurationKind::kExposed).count == 1);
    CHECK(durations("gloo.last", DurationKind::kRunning).count == 1);
  }
  CHECK(durations("gloo.plain", DurationKind::kExposed).count == 0);
  CHECK(durations("gloo.plain", DurationKind::kRunning).count == 1);
}

TEST_CASE_FIXTURE(GlooTimingFixture, "the child of a fork knows nothing of its parent's works") {
  OpFrame call = issuedCall("gloo.fork", 8);
  WorkPointer work = c10::make_intrusive<FakeWork>();
  enqueueIn(call, work);
  GlooTiming::resetInForkedChild();
  CHECK(wait(work));
  CHECK(durations("gloo.fork", DurationKind::kExposed).count == 0);
}

} // namespace
} // namespace commtap
