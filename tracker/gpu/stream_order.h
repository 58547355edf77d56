// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "shim/tracker_abi.h"
#include "tracker/core/thread_state.h"
#include "tracker/gpu/device_event.h"

namespace commtap {

/// Follows which work waits for which collectives, across streams.
///
/// A stream computes if a module has been called while it was torch's current stream; a device's default stream does
/// always. The order of work is a vector clock (Mattern, "Virtual Time and Global States of Distributed Systems",
/// 1988): the collectives on each stream are numbered, and a stream's clock has, for each stream, the number of
/// collectives that its next work waits for. An event has the clock of its stream when it was recorded.
class StreamOrder {
 public:
  /// Returns the hooks for the stub; nullptr unless collectives are timed on the device.
  static const commtap_streams* hooks();

  /// Notes that a module is called: torch's current stream computes.
  static void moduleCalled(ThreadState& thread);

  /// Adds a span whose second event is recorded. Sets its `stalls`.
  static void add(const SpanRef& span);
  /// Returns what waits for a span that is over, and forgets the span. Returns false if a thread waits for it still:
  /// ask again.
  static bool takeArrivals(DeviceSpan& span, std::vector<std::shared_ptr<Arrival>>& arrivals);
  /// Forgets a span that has no times.
  static void drop(DeviceSpan& span);

  static void resetInForkedChild();
};

} // namespace commtap
