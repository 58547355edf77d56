// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/device_timing.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tracker/core/catch_all.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/thread_state.h"
#include "tracker/gpu/device_event.h"
#include "tracker/gpu/graph_captures.h"
#include "tracker/gpu/stream_order.h"

namespace commtap {

namespace {

using Spans = std::vector<SpanRef>;
using std::chrono::milliseconds;

constexpr milliseconds kPollInterval{5};
constexpr milliseconds kPatience{100};         ///< at the end of the process
constexpr uint32_t kMaxUnfinished = 8U << 10U; ///< spans; beyond this number, calls are not timed

struct DeviceState {
  std::mutex mutex;
  Spans ended; ///< spans that the polling thread has not taken yet
  std::atomic<bool> has_thread{false};
  std::atomic<uint32_t> unfinished{0};
  std::atomic<uint64_t> expected{0}; ///< calls whose kernels NCCL has not reported yet
  std::atomic<bool> stopping{false};
  std::atomic<bool> stopped{false};
};

DeviceState& deviceState() {
  static DeviceState* instance = new DeviceState(); // leaked on purpose: threads call until the process exits
  return *instance;
}

void noteUntimed(const DeviceSpan& span) {
  LedgerWriter& ledger = ProcessLedger::ledger();
  for (const OpFrame& call : span.calls) {
    ledger.notSeen(NotSeen::kUntimed, ledger.text(call.op));
  }
}

/// Records the first event. Returns nullptr if the stream cannot be timed.
DeviceSpan* beginSpan(void* stream) {
  const CudaDriver* driver = CudaDriver::get();
  const bool has_room = deviceState().unfinished.load(std::memory_order_relaxed) < kMaxUnfinished;
  if (driver == nullptr || !has_room || GraphCaptures::isCapturing() || driver->captureOf(stream) != 0) {
    return nullptr;
  }
  void* context = nullptr;
  if (driver->get_context(&context) != 0) {
    return nullptr;
  }
  auto span = std::make_unique<DeviceSpan>();
  span->stream = stream;
  span->id = streamId(*driver, stream);
  span->from = DeviceEvent::take(*driver, context);
  span->to = DeviceEvent::take(*driver, context);
  return span->from && span->to && span->from->record(*driver, stream) ? span.release() : nullptr;
}

/// Adds a collective to a span. Only the collective's first span carries its payload.
void addCall(DeviceSpan& span, OpFrame& call) {
  const auto is_this = [&](const OpFrame& other) { return other.number == call.number; };
  if (std::any_of(span.calls.begin(), span.calls.end(), is_this)) {
    return;
  }
  span.calls.push_back(call);
  if (call.has_span) {
    span.calls.back().bytes = 0;
  }
  call.has_span = true;
}

DeviceSpan* openSpanOn(const ThreadState& thread, const void* stream) {
  for (DeviceSpan* span : thread.device_spans) {
    if (span->stream == stream) {
      return span;
    }
  }
  return nullptr;
}

void countRun(const DeviceSpan& span, uint64_t ns) {
  for (const OpFrame& call : span.calls) {
    countDuration(call, DurationKind::kRunning, ns);
    noteCompleted(call, true, 0);
  }
}

uint64_t nsOf(double ms) {
  return static_cast<uint64_t>(std::llround(std::max(ms, 0.0) * 1e6));
}

/// Counts how long a span ran and was exposed, once nothing that waits for it is unknown. Returns false if a thread
/// waits for it still.
bool countOver(const CudaDriver& driver, const SpanRef& span) {
  std::vector<std::shared_ptr<Arrival>> arrivals;
  if (!StreamOrder::takeArrivals(*span, arrivals)) {
    return false;
  }
  const std::optional<double> ran_ms = span->to->since(driver, *span->from);
  if (!ran_ms) {
    noteUntimed(*span);
    return true;
  }
  const Exposure exposure = exposureOf(driver, span, *ran_ms, arrivals);
  const uint64_t ns = nsOf(exposure.ms);
  for (size_t i = 0; i < span->calls.size() && ns > 0; ++i) { // the calls of a group share its time
    countExposed(span->calls[i], exposure.where, ns * (i + 1) / span->calls.size() - ns * i / span->calls.size());
  }
  countRun(*span, nsOf(*ran_ms)); // last: a call that has completed has all its times
  return true;
}

/// Counts and frees the spans that are over, in the order of their ends, and leaves the others in `spans`.
void measure(const CudaDriver& driver, Spans& spans) {
  Spans over;
  Spans run;
  for (SpanRef& span : spans) {
    const std::optional<bool> is_over = span->to->isOver(driver);
    if (!is_over) {
      deviceState().unfinished.fetch_sub(1, std::memory_order_relaxed);
      StreamOrder::drop(*span);
      noteUntimed(*span);
    } else {
      (*is_over ? over : run).push_back(std::move(span));
    }
  }
  sortByEnd(driver, over);
  for (SpanRef& span : over) {
    if (countOver(driver, span)) {
      deviceState().unfinished.fetch_sub(1, std::memory_order_relaxed);
    } else {
      run.push_back(std::move(span));
    }
  }
  spans = std::move(run);
}

void takeEnded(Spans& spans) {
  const std::lock_guard<std::mutex> lock(deviceState().mutex);
  spans.insert(spans.end(), deviceState().ended.begin(), deviceState().ended.end());
  deviceState().ended.clear();
}

void look(const CudaDriver& driver, Spans& spans) {
  takeEnded(spans);
  if (!GraphCaptures::isCapturing()) {
    measure(driver, spans);
  }
}

void poll() {
  const CudaDriver& driver = *CudaDriver::get();
  int mode = CudaDriver::kRelaxed;
  driver.exchange_capture_mode(&mode);
  Spans spans;
  while (!deviceState().stopping.load(std::memory_order_acquire)) {
    std::this_thread::sleep_for(kPollInterval);
    look(driver, spans);
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (look(driver, spans); !spans.empty() && std::chrono::steady_clock::now() < deadline; look(driver, spans)) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  for (const SpanRef& span : spans) {
    noteUntimed(*span);
  }
  deviceState().stopped.store(true, std::memory_order_release);
}

/// Starts the polling thread with all signals blocked: they are for the job's threads.
void startThread() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread([] {
      try {
        poll();
      } catch (const std::exception&) { // out of memory: the remaining spans stay untimed
        deviceState().stopped.store(true, std::memory_order_release);
      }
    });
    pthread_setname_np(thread.native_handle(), "commtap-events");
    thread.detach();
    deviceState().has_thread = true;
  } catch (const std::exception&) { // the next span retries
    deviceState().has_thread = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void endSpan(SpanRef span, bool succeeded) {
  const CudaDriver* driver = CudaDriver::get();
  if (!succeeded || deviceState().stopping || !span->to->record(*driver, span->stream)) {
    noteUntimed(*span);
    return;
  }
  deviceState().unfinished.fetch_add(1, std::memory_order_relaxed);
  StreamOrder::add(span);
  const std::lock_guard<std::mutex> lock(deviceState().mutex);
  deviceState().ended.push_back(std::move(span));
  if (!deviceState().has_thread) {
    startThread();
    // CUDA has registered its exit handler already, so this one runs earlier, while the driver still answers.
    std::atexit(DeviceTiming::finish);
  }
}

/// Returns the collective that makes an NCCL call on this thread; nullptr if there is none or it is not timed.
OpFrame* timedCall(const ThreadState& thread, uint32_t every) {
  OpFrame* call = thread.frame;
  if (call == nullptr || call->row == nullptr) {
    return nullptr;
  }
  if (!call->has_work) {
    call->has_work = true;
    call->is_timed = isStepTimed(every);
  }
  return call->is_timed ? call : nullptr;
}

void* begin(ThreadState& thread, void* stream, uint32_t every) {
  OpFrame* call = timedCall(thread, every);
  if (call == nullptr) {
    return nullptr;
  }
  const bool in_group = thread.nccl_groups_open > 0;
  DeviceSpan* span = in_group ? openSpanOn(thread, stream) : nullptr;
  if (span == nullptr) {
    span = beginSpan(stream);
    if (span == nullptr) {
      call->has_work = call->has_span; // untimed, unless another span of the collective is timed
      return nullptr;
    }
    if (in_group) {
      thread.device_spans.push_back(span);
    }
  }
  addCall(*span, *call);
  return span;
}

/// Returns the result of `make`; nullptr if it throws or there is no memory for the thread's state.
template <typename Make>
void* madeOf(const Make& make) {
  void* made = nullptr;
  catchAll("device timing", [&] {
    if (ThreadState* thread = ThreadState::current()) {
      made = make(*thread);
    }
  });
  return made;
}

} // namespace

uint32_t DeviceTiming::every_ = 0;

void* DeviceTiming::begins(const commtap_nccl_call* call) {
  return madeOf([&](ThreadState& thread) { return begin(thread, call->stream, every_); });
}

/// Times no call that a CUDA graph captures: NCCL would report its kernels at each launch, when the collective that
/// issued them is unknown.
void* DeviceTiming::kernelsExpected(const commtap_nccl_call* call) {
  return madeOf([&](ThreadState& thread) -> void* {
    OpFrame* timed = timedCall(thread, every_);
    if (timed == nullptr) {
      return nullptr;
    }
    if (GraphCaptures::isCapturing()) {
      timed->has_work = timed->has_span;
      return nullptr;
    }
    auto span = std::make_unique<DeviceSpan>();
    addCall(*span, *timed);
    deviceState().expected.fetch_add(1, std::memory_order_relaxed);
    return span.release();
  });
}

void DeviceTiming::ran(void* timer, uint64_t ns) {
  const std::unique_ptr<DeviceSpan> span(static_cast<DeviceSpan*>(timer));
  if (deviceState().stopping.load(std::memory_order_acquire)) {
    return; // finish() has counted it as untimed
  }
  deviceState().expected.fetch_sub(1, std::memory_order_relaxed);
  if (ns == 0) {
    noteUntimed(*span);
  } else {
    countRun(*span, ns);
  }
}

void DeviceTiming::returned(ThreadState& thread, const commtap_nccl_call& call) {
  if (thread.nccl_groups_open > 0) {
    return;
  }
  const bool succeeded = call.result == 0; // a call in progress may launch its kernels after the events
  if (call.timer != nullptr) {
    endSpan(SpanRef(static_cast<DeviceSpan*>(call.timer)), succeeded);
  }
  for (DeviceSpan* span : thread.device_spans) {
    endSpan(SpanRef(span), succeeded);
  }
  thread.device_spans.clear();
}

void DeviceTiming::finish() {
  if (!isOn()) {
    return;
  }
  if (!deviceState().stopping.exchange(true, std::memory_order_acq_rel)) {
    if (const uint64_t expected = deviceState().expected.load(std::memory_order_relaxed); expected > 0) {
      ProcessLedger::ledger().notSeen(NotSeen::kUntimed, "kernels of NCCL", expected);
    }
  }
  const auto deadline = std::chrono::steady_clock::now() + 3 * kPatience;
  while (deviceState().has_thread && !deviceState().stopped.load(std::memory_order_acquire) &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void DeviceTiming::resetInForkedChild() {
  if (isOn()) {
    new (&deviceState()) DeviceState(); // the old state may be half-written; CUDA does not work after a fork
    DeviceEvent::resetInForkedChild();
    StreamOrder::resetInForkedChild();
  }
}

} // namespace commtap
