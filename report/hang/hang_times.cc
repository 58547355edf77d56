// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_times.h"

#include <algorithm>
#include <limits>

#include "report/merge/job_merge.h"
#include "report/model/work_end.h"

namespace commtap {
namespace {

double seconds(uint64_t from_ns, uint64_t to_ns) {
  return to_ns > from_ns ? static_cast<double>(to_ns - from_ns) / 1e9 : 0;
}

bool areOnOneHost(std::span<const RankSight> sights) {
  return std::all_of(sights.begin(), sights.end(), [&sights](const RankSight& sight) {
    return sight.report->job.host == sights.front().report->job.host;
  });
}

} // namespace

HangTimes::HangTimes(std::span<const RankSight> sights, const HangClock& clock, const JobEnd& end)
    : sights_(sights), clock_(clock), end_(end) {
  uint64_t last_ns = clock.moved_ns;
  for (const RankSight& sight : sights) {
    last_ns = std::max(last_ns, end.wasEnded() ? lastEventNs(*sight.report) : lastActivityNs(*sight.report));
    has_moved_ = has_moved_ || sight.look.has_moved;
    has_running_ = has_running_ || !sight.hasEnded();
  }
  if (end.at_ns) {
    quiet_s_ = quietBefore(*end.at_ns);
  } else if (!has_moved_) {
    quiet_s_ = secondsSince(last_ns);
  }
}

double HangTimes::secondsSince(uint64_t then_ns) const {
  return seconds(then_ns, end_.at_ns.value_or(lastEndNs().value_or(clock_.now_ns)));
}

bool HangTimes::isTimed() const {
  return has_running_ || end_.at_ns.has_value();
}

bool HangTimes::isQuiet() const {
  return !end_.gave_up.empty() || isLong();
}

bool HangTimes::isLong() const {
  return !has_moved_ && quiet_s_ >= clock_.patience_s;
}

std::optional<CommonEnd> HangTimes::commonEnd() const {
  const bool all_failed = std::none_of(sights_.begin(), sights_.end(), [](const RankSight& sight) {
    return !sight.report->job.ended_at_ns || hasFinished(sight.report->job);
  });
  if (end_.wasEnded() || !all_failed) {
    return std::nullopt;
  }
  const Job* first = &sights_.front().report->job;
  for (const RankSight& sight : sights_) {
    const Job& job = sight.report->job;
    first = *job.ended_at_ns < *first->ended_at_ns ? &job : first;
  }
  const double quiet_s = quietBefore(*first->ended_at_ns);
  return quiet_s < clock_.patience_s ? std::nullopt : std::optional(CommonEnd{first, quiet_s});
}

/// Returns the seconds from the last event of any rank to an end. If the clocks of hosts may differ, each rank's last
/// event is compared with its own end. What a rank does while the job is being ended is no progress.
double HangTimes::quietBefore(uint64_t end_ns) const {
  const bool have_one_clock = areOnOneHost(sights_);
  double quiet_s = std::numeric_limits<double>::max();
  for (const RankSight& sight : sights_) {
    const std::optional<uint64_t> ended_ns = have_one_clock ? end_ns : endBeganNs(*sight.report);
    if (ended_ns) {
      quiet_s = std::min(quiet_s, seconds(lastEventNs(*sight.report, *ended_ns), *ended_ns));
    }
  }
  return quiet_s;
}

/// Returns when the last process ended; nullopt if one runs. One whose end is not known had ended after its last event.
std::optional<uint64_t> HangTimes::lastEndNs() const {
  uint64_t last_ns = 0;
  for (const RankSight& sight : sights_) {
    if (!sight.hasEnded()) {
      return std::nullopt;
    }
    last_ns = std::max(last_ns, endBeganNs(*sight.report).value_or(lastEventNs(*sight.report)));
  }
  return last_ns;
}

} // namespace commtap
