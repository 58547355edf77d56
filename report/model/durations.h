// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/saturating.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// The parts of a collective's time. The numbers are part of the ledger format.
enum class DurationKind : uint8_t {
  kQueued,  ///< from the call until the backend starts the collective
  kRunning, ///< from the start to completion, including the wait for slower ranks
  kExposed, ///< the job stands still because the collective has not completed
};
inline constexpr int kDurationKindCount = 3;

/// Returns the report's field name: "queued_ns".
constexpr std::string_view durationName(DurationKind kind) {
  constexpr std::array<std::string_view, kDurationKindCount> kNames = {"queued_ns", "running_ns", "exposed_ns"};
  return kNames[static_cast<size_t>(kind)];
}

/// Histogram classes are powers of two, so histograms of ranks can be added. Class 0 is 0 ns; class n > 0 begins at
/// 2^(n - 1) ns. The last class begins at 1.2 hours and has no upper bound.
inline constexpr uint32_t kDurationClasses = 44;
constexpr uint32_t durationClass(uint64_t ns) {
  return std::min<uint32_t>(static_cast<uint32_t>(std::bit_width(ns)), kDurationClasses - 1);
}
/// Returns the shortest duration of a class, in ns.
constexpr uint64_t durationClassStart(uint32_t duration_class) {
  return duration_class == 0 ? 0 : uint64_t{1} << (duration_class - 1U);
}

/// Counts by powers of two: the smallest value of a class, and the number of values in the class.
using Histogram = std::map<uint64_t, uint64_t>;

/// Several durations, ns.
struct Durations {
  uint64_t count = 0;
  uint64_t sum_ns = 0;
  uint64_t min_ns = 0; ///< 0 if count is 0
  uint64_t max_ns = 0;
  Histogram histogram; ///< by the shortest duration of a class, ns

  bool operator==(const Durations&) const = default;

  Durations& operator+=(const Durations& other) {
    if (other.count > 0) {
      min_ns = count == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
      max_ns = std::max(max_ns, other.max_ns);
    }
    addSaturating(count, other.count);
    addSaturating(sum_ns, other.sum_ns);
    for (const auto& [from_ns, times] : other.histogram) {
      addSaturating(histogram[from_ns], times);
    }
    return *this;
  }
};

/// A place at which a thread or stream stood still.
struct StallPlace {
  std::string module; ///< the clean name of the module that ran there; "" if not known
  Phase phase = Phase::kOther;

  auto operator<=>(const StallPlace&) const = default;
};
struct Stall {
  uint64_t count = 0;
  uint64_t exposed_ns = 0;

  bool operator==(const Stall&) const = default;
};
using Stalls = std::map<StallPlace, Stall>;

/// A place and what was counted there: a row of the report.
struct StalledIn {
  std::string module;
  Phase phase = Phase::kOther;
  uint64_t count = 0;
  uint64_t exposed_ns = 0;
};

/// Returns the stalls by descending time.
inline std::vector<StalledIn> longestFirst(const Stalls& stalls) {
  std::vector<StalledIn> rows;
  rows.reserve(stalls.size());
  for (const auto& [place, stall] : stalls) {
    rows.push_back({place.module, place.phase, stall.count, stall.exposed_ns});
  }
  std::stable_sort(
      rows.begin(), rows.end(), [](const StalledIn& a, const StalledIn& b) { return a.exposed_ns > b.exposed_ns; });
  return rows;
}

inline void addStall(Stalls& stalls, const StallPlace& place, const Stall& stall) {
  Stall& sum = stalls[place];
  addSaturating(sum.count, stall.count);
  addSaturating(sum.exposed_ns, stall.exposed_ns);
}

/// How long collectives took. Not every call is timed: `bytes` and `bus_bytes` count only the collectives in kRunning.
struct CollectiveTime {
  std::array<Durations, kDurationKindCount> durations; ///< by DurationKind
  uint64_t bytes = 0;
  double bus_bytes = 0;
  Stalls stalled_in; ///< adds up to kExposed

  bool operator==(const CollectiveTime&) const = default;

  const Durations& of(DurationKind kind) const {
    return durations[static_cast<size_t>(kind)];
  }
  bool isKnown() const {
    return std::any_of(durations.begin(), durations.end(), [](const Durations& some) { return some.count > 0; });
  }
  /// Returns how many collectives have a duration. Several threads may wait for one, so the waits count only for what
  /// has no other duration, as sends over Gloo.
  uint64_t timedCount() const {
    const uint64_t running = of(DurationKind::kRunning).count;
    return running > 0 ? running : of(DurationKind::kExposed).count;
  }
  /// Returns a bandwidth as nccl-tests define it (NVIDIA/nccl-tests, doc/PERFORMANCE.md), in bytes per second; 0 if no
  /// running time is known.
  double algorithmBandwidth() const {
    return perSecond(static_cast<double>(bytes));
  }
  double busBandwidth() const {
    return perSecond(bus_bytes);
  }

  CollectiveTime& operator+=(const CollectiveTime& other) {
    for (size_t i = 0; i < durations.size(); ++i) {
      durations[i] += other.durations[i];
    }
    addSaturating(bytes, other.bytes);
    bus_bytes += other.bus_bytes;
    for (const auto& [place, stall] : other.stalled_in) {
      addStall(stalled_in, place, stall);
    }
    return *this;
  }

 private:
  double perSecond(double amount) const {
    const uint64_t ns = of(DurationKind::kRunning).sum_ns;
    return ns == 0 ? 0 : amount * 1e9 / static_cast<double>(ns);
  }
};

/// Selects the timed collectives and the clocks.
struct Timing {
  uint32_t every = 0;  ///< times the collectives of each n-th step; 0: times none
  bool device = false; ///< times those of GPU backends too, with events on the device

  bool operator==(const Timing&) const = default;

  bool isOn() const {
    return every > 0;
  }
};

/// Returns "off", "host", "device" or "sample:10".
std::string timingText(Timing timing);
std::optional<Timing> timingFromText(std::string_view text);

} // namespace commtap
