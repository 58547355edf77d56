// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/stream_order.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "tracker/attribution/attribution.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/clock.h"
#include "tracker/gpu/device_timing.h"
#include "tracker/gpu/graph_captures.h"

namespace commtap {

namespace {

/// cudaStreamLegacy, another handle of the default stream.
constexpr uintptr_t kLegacy = 1;

/// By the number of a stream: how many of the spans on it have to end first. A missing one is 0.
using Clock = std::vector<uint64_t>;

void takeLater(Clock& clock, const Clock& other) {
  clock.resize(std::max(clock.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i) {
    clock[i] = std::max(clock[i], other[i]);
  }
}

struct StreamState {
  size_t number = 0;
  bool computes = false;
  Clock clock;
  uint64_t added = 0;        ///< spans
  std::deque<SpanRef> spans; ///< the last ones, in order; those that are over go from the front
};

struct RecordedEvent {
  Clock clock;
  bool of_computing_stream;
};

struct OrderState {
  std::mutex mutex;
  std::unordered_map<StreamId, StreamState> streams;
  std::vector<StreamState*> by_number; ///< an unordered_map's elements keep their place
  std::unordered_map<const void*, RecordedEvent> events;
  std::atomic<uint32_t> open{0}; ///< spans that are not over
};

using Lock = std::lock_guard<std::mutex>;

OrderState& orderState() {
  static OrderState* instance = new OrderState(); // leaked on purpose: threads call until the process exits
  return *instance;
}

StreamState& stateOf(StreamId id, const Lock& /*lock*/) {
  OrderState& state = orderState();
  const auto [found, is_new] = state.streams.try_emplace(id);
  if (is_new) {
    found->second.number = state.by_number.size();
    state.by_number.push_back(&found->second);
  }
  return found->second;
}

/// Returns nullptr while no collective runs, so that nothing waits for one.
const CudaDriver* driverIfOpen() {
  return orderState().open.load(std::memory_order_relaxed) == 0 ? nullptr : CudaDriver::get();
}

bool computes(StreamId id, const StreamState& stream, const CudaDriver& driver) {
  void* context = nullptr;
  return stream.computes || (driver.get_context(&context) == 0 && id == context);
}

void recorded(void* event, void* stream) {
  catchAll("an event of a stream", [&] {
    const CudaDriver* driver = driverIfOpen();
    if (driver == nullptr) {
      return; // what the event had before is over too
    }
    const Lock lock(orderState().mutex);
    if (GraphCaptures::isCapturing()) {
      orderState().events.erase(event);
      return;
    }
    const StreamId id = streamId(*driver, stream);
    const StreamState& from = stateOf(id, lock);
    orderState().events.insert_or_assign(event, RecordedEvent{from.clock, computes(id, from, *driver)});
  });
}

/// Calls `act(span)` for each span that is not over, on a stream that does not compute, and has to end first by `clock`
/// but not by `known`.
template <typename Act>
void forEachNew(const Clock& clock, const Clock& known, const Lock& /*lock*/, const Act& act) {
  for (size_t i = 0; i < clock.size(); ++i) {
    const StreamState& stream = *orderState().by_number[i];
    const uint64_t first = stream.added - stream.spans.size();
    for (uint64_t k = std::max(first, i < known.size() ? known[i] : 0); k < clock[i]; ++k) {
      const SpanRef& span = stream.spans[k - first];
      if (!span->is_over && !span->stalls) {
        act(span);
      }
    }
  }
}

/// Records when a stream that computes comes to a wait for spans.
std::shared_ptr<Arrival> arrivalOn(void* stream, const CudaDriver& driver) {
  void* context = nullptr;
  if (driver.get_context(&context) != 0) {
    return nullptr;
  }
  auto arrival = std::make_shared<Arrival>();
  arrival->where = stalledNow(ThreadState::ifKnown());
  arrival->at = DeviceEvent::take(driver, context);
  return arrival->at && arrival->at->record(driver, stream) ? arrival : nullptr;
}

void waits(void* stream, void* event) {
  catchAll("a wait of a stream", [&] {
    const CudaDriver* driver = driverIfOpen();
    if (driver == nullptr || GraphCaptures::isCapturing()) {
      return;
    }
    const Lock lock(orderState().mutex);
    const auto found = orderState().events.find(event);
    if (found == orderState().events.end()) {
      return;
    }
    const StreamId id = streamId(*driver, stream);
    StreamState& waiting = stateOf(id, lock);
    std::shared_ptr<Arrival> arrival;
    if (computes(id, waiting, *driver)) {
      forEachNew(found->second.clock, waiting.clock, lock, [&](const SpanRef& span) {
        arrival = arrival == nullptr ? arrivalOn(stream, *driver) : arrival;
        if (arrival != nullptr) {
          span->arrivals.push_back(arrival);
        }
      });
    }
    takeLater(waiting.clock, found->second.clock);
  });
}

/// Returns what a thread waits for, if that is not a stream that computes: its work would be waited for too.
const Clock* clockOfWait(void* stream, void* event, const CudaDriver& driver, const Lock& lock) {
  if (event == nullptr) {
    const StreamId id = streamId(driver, stream);
    const StreamState& state = stateOf(id, lock);
    return computes(id, state, driver) ? nullptr : &state.clock;
  }
  const auto found = orderState().events.find(event);
  return found == orderState().events.end() || found->second.of_computing_stream ? nullptr : &found->second.clock;
}

/// A wait of a thread that has begun.
struct HostWait {
  std::shared_ptr<Arrival> arrival;
  uint64_t since_ns;
};

void* hostWaits(void* stream, void* event) {
  HostWait* wait = nullptr;
  catchAll("a wait for a stream", [&] {
    const CudaDriver* driver = driverIfOpen();
    if (driver == nullptr || GraphCaptures::isCapturing()) {
      return;
    }
    const Lock lock(orderState().mutex);
    const Clock* clock = clockOfWait(stream, event, *driver, lock);
    if (clock == nullptr) {
      return;
    }
    auto arrival = std::make_shared<Arrival>();
    forEachNew(*clock, {}, lock, [&](const SpanRef& span) { arrival->spans.push_back(span); });
    if (arrival->spans.empty()) {
      return;
    }
    arrival->where = stalledNow(ThreadState::ifKnown());
    auto made = std::make_unique<HostWait>(HostWait{arrival, steadyNow()});
    for (const SpanRef& span : arrival->spans) {
      span->arrivals.push_back(arrival);
    }
    wait = made.release();
  });
  return wait;
}

void hostWaited(void* token) {
  catchAll("a wait for a stream", [&] {
    const std::unique_ptr<HostWait> wait(static_cast<HostWait*>(token));
    wait->arrival->waited_ns.store(std::max<uint64_t>(steadyNow() - wait->since_ns, 1), std::memory_order_release);
  });
}

constexpr commtap_streams kHooks = {
    .recorded = recorded,
    .waits = waits,
    .host_waits = hostWaits,
    .host_waited = hostWaited,
};

/// Returns torch's current stream; nullptr if CUDA is not in use on this thread.
const void* currentStream(const CudaDriver& driver) {
  void* context = nullptr;
  if (!c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA) || driver.get_context(&context) != 0 ||
      context == nullptr) {
    return nullptr;
  }
  const c10::impl::DeviceGuardImplInterface& cuda = *c10::impl::getDeviceGuardImpl(c10::DeviceType::CUDA);
  void* stream = cuda.getStreamNativeHandle(cuda.getStream(cuda.getDevice()));
  return stream == nullptr ? context : stream;
}

void closeSpan(DeviceSpan& span, const Lock& lock) {
  span.is_over = true;
  orderState().open.fetch_sub(1, std::memory_order_relaxed);
  std::deque<SpanRef>& spans = stateOf(span.id, lock).spans;
  while (!spans.empty() && spans.front()->is_over) {
    spans.pop_front();
  }
}

} // namespace

StreamId streamId(const CudaDriver& driver, void* stream) {
  const bool is_default = stream == nullptr || reinterpret_cast<uintptr_t>(stream) == kLegacy;
  void* context = nullptr;
  return is_default && driver.get_context(&context) == 0 ? context : stream;
}

const commtap_streams* StreamOrder::hooks() {
  return DeviceTiming::isOn() ? &kHooks : nullptr;
}

void StreamOrder::moduleCalled(ThreadState& thread) {
  const CudaDriver* driver = CudaDriver::get();
  const StreamId stream = driver == nullptr ? nullptr : currentStream(*driver);
  if (stream == nullptr || stream == thread.computing_stream) {
    return;
  }
  const Lock lock(orderState().mutex);
  stateOf(stream, lock).computes = true;
  thread.computing_stream = stream;
}

void StreamOrder::add(const SpanRef& span) {
  const CudaDriver& driver = *CudaDriver::get();
  const Lock lock(orderState().mutex);
  StreamState& stream = stateOf(span->id, lock);
  if (orderState().open.fetch_add(1, std::memory_order_relaxed) == 0) {
    orderState().events.clear(); // what they were recorded behind is over
  }
  span->stalls = computes(span->id, stream, driver);
  if (span->stalls) {
    span->where = stalledNow(ThreadState::ifKnown());
  }
  stream.spans.push_back(span);
  ++stream.added;
  stream.clock.resize(std::max(stream.clock.size(), stream.number + 1));
  stream.clock[stream.number] = stream.added;
}

bool StreamOrder::takeArrivals(DeviceSpan& span, std::vector<std::shared_ptr<Arrival>>& arrivals) {
  const Lock lock(orderState().mutex);
  const auto waits_still = [](const std::shared_ptr<Arrival>& arrival) {
    return !arrival->at && arrival->waited_ns.load(std::memory_order_acquire) == 0;
  };
  if (std::any_of(span.arrivals.begin(), span.arrivals.end(), waits_still)) {
    return false;
  }
  arrivals = std::exchange(span.arrivals, {});
  closeSpan(span, lock);
  return true;
}

void StreamOrder::drop(DeviceSpan& span) {
  const Lock lock(orderState().mutex);
  span.arrivals.clear();
  closeSpan(span, lock);
}

void StreamOrder::resetInForkedChild() {
  new (&orderState()) OrderState(); // the old state may be half-written; CUDA does not work after a fork
}

} // namespace commtap
