// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tracker/core/call_times.h"
#include "tracker/core/thread_state.h"
#include "tracker/gpu/device_event.h"

namespace commtap {

/// A stream. Its handle is null for the default stream of each device, so the context is the identity of that one.
using StreamId = const void*;

struct DeviceSpan;
using SpanRef = std::shared_ptr<DeviceSpan>;

/// A wait for collectives: of a stream that computes, whose work has come to it, or of a thread of the job.
struct Arrival {
  Stalled where;                 ///< what the job was about to compute
  std::optional<DeviceEvent> at; ///< when the stream came to the wait; not set for a thread
  /// The collective that has completed last of those waited for; not set at first. From there on, later ones count.
  SpanRef last;
  std::vector<SpanRef> spans;         ///< a thread's wait only: each that it waited for
  std::atomic<uint64_t> waited_ns{0}; ///< a thread's wait only, by the host's clock; 0: it waits still
};

/// The work of collectives on one stream, between two events.
struct DeviceSpan {
  void* stream = nullptr;
  StreamId id = nullptr;
  std::optional<DeviceEvent> from;
  std::optional<DeviceEvent> to;
  std::vector<OpFrame> calls; ///< the collectives that the span is a part of
  bool stalls = false;        ///< its stream computes, so what comes next there waits for its end
  Stalled where;              ///< if `stalls`
  /// The waits for it. StreamOrder's lock guards this, until the polling thread has taken it.
  std::vector<std::shared_ptr<Arrival>> arrivals;
  bool is_over = false; ///< the polling thread has taken `arrivals`
};

/// Returns the identity of a stream of the current context.
StreamId streamId(const CudaDriver& driver, void* stream);

} // namespace commtap
