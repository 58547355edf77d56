// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "report/hang/hang_groups.h"
#include "report/hang/job_end.h"

namespace commtap {

/// The time of the second look at the ranks, and how patient to be.
struct HangClock {
  uint64_t now_ns = 0;       ///< CLOCK_REALTIME
  double patience_s = 0;     ///< without an event, before a job whose ranks can still come counts as stuck
  bool has_all_hosts = true; ///< false: a rank without a report may run on another machine
  uint64_t moved_ns = 0;     ///< CLOCK_REALTIME of the last look that found progress; 0: none did
};

/// An end that all ranks brought about themselves, long after the last event, as the watchdogs of all do.
struct CommonEnd {
  const Job* first = nullptr; ///< the process that ended first
  double quiet_s = 0;         ///< from the last event of any rank to that end
};

/// How long the ranks were without an event: until the job was ended, until its last process ended by itself, or until
/// now. The clocks of hosts may differ.
class HangTimes {
 public:
  /// The arguments outlive the object. `sights` has one process per rank.
  HangTimes(std::span<const RankSight> sights, const HangClock& clock, const JobEnd& end);

  /// Seconds since the last event of any rank; 0 if a look has just found progress.
  double quietS() const {
    return quiet_s_;
  }
  /// Returns the seconds from `then_ns` (CLOCK_REALTIME) on.
  double secondsSince(uint64_t then_ns) const;

  /// Returns whether it is known how long that was: the job runs, or it is known when it ended.
  bool isTimed() const;
  /// Returns whether that was for longer than the job's patience, or ranks gave up waiting.
  bool isQuiet() const;
  /// Returns whether that was for longer than the job's patience.
  bool isLong() const;

  /// Returns how all ranks failed by themselves after a time that is longer than the job's patience; nullopt if they
  /// did not.
  std::optional<CommonEnd> commonEnd() const;

 private:
  double quietBefore(uint64_t end_ns) const;
  std::optional<uint64_t> lastEndNs() const;

  std::span<const RankSight> sights_;
  const HangClock& clock_;
  const JobEnd& end_;
  bool has_moved_ = false;
  bool has_running_ = false;
  double quiet_s_ = 0;
};

} // namespace commtap
