// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/job_end.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <map>

#include "report/base/process.h"
#include "report/model/work_end.h"

namespace commtap {
namespace {

/// How a rank ended, seen from the end of the job.
enum class RankEnd : uint8_t {
  kRuns,
  kFinished,   ///< it exited without an error
  kByLauncher, ///< by a signal that its launcher sent
  kAsked,      ///< by itself, after a signal that asks for an end: of its launcher, of a terminal
  kKilled,     ///< its end was not seen, and its launcher is not known to have sent a signal
  kGaveUp,     ///< with an error, after a long wait
  kBroke,      ///< with an error, in a short wait: the rank that it waited for may have been dead
  kFailed,     ///< with an error, and it had not waited; or its parent found that a signal ended it
};

/// Returns whether the signal asks for an end that is no failure of the process.
bool asksForEnd(int64_t signal) {
  constexpr std::array<int64_t, 4> kSignals = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  return std::find(kSignals.begin(), kSignals.end(), signal) != kSignals.end();
}

/// Returns whether the status is the one of a shell, and of handlers, for a signal that asks for an end.
bool asksForEndByStatus(int64_t status) {
  constexpr int64_t kOfSignals = 128;
  return status > kOfSignals && asksForEnd(status - kOfSignals);
}

uint64_t waitedNs(const Job& job, const Wait& wait) {
  const uint64_t ended_ns = job.ended_at_ns.value_or(0);
  return ended_ns > wait.call->issued_at_ns ? ended_ns - wait.call->issued_at_ns : 0;
}

/// Returns whether the launcher asked the process to end, and it did nothing but end since, or ended soon.
bool wasAsked(const Report& report) {
  const std::optional<uint64_t>& sent_at_ns = report.job.signal_sent_at_ns;
  return signalOfEnd(report) || (sent_at_ns && lastEventNs(report) <= *sent_at_ns + kMomentNs);
}

RankEnd endOf(const Report& report, const Wait* wait, uint64_t patience_ns) {
  const Job& job = report.job;
  switch (job.exit) {
    case ExitKind::kRunning:
      return RankEnd::kRuns;
    case ExitKind::kAfterWork:
      return RankEnd::kFinished;
    case ExitKind::kKilled:
      return job.exit_signal ? RankEnd::kByLauncher : RankEnd::kKilled;
    case ExitKind::kSignal:
    case ExitKind::kNormal:
    case ExitKind::kUnderscoreExit:
      break;
  }
  if (wasAsked(report)) {
    return RankEnd::kAsked;
  }
  if (hasFinished(job)) {
    return RankEnd::kFinished;
  }
  if (asksForEnd(job.exit_signal.value_or(0)) || asksForEndByStatus(job.exit_status.value_or(0))) {
    return RankEnd::kAsked;
  }
  if (wait == nullptr || wasKilled(job)) {
    return RankEnd::kFailed;
  }
  return waitedNs(job, *wait) >= std::min(patience_ns, kTimeoutNs) ? RankEnd::kGaveUp : RankEnd::kBroke;
}

class EndFinder {
 public:
  EndFinder(std::span<const RankSight> sights, const Waits& waits, uint64_t now_ns, uint64_t patience_ns)
      : sights_(sights), waits_(waits), now_ns_(now_ns) {
    for (const RankSight& sight : sights) {
      const auto wait = waits.find(sight.rank());
      ended_ns_[sight.rank()] = endBeganNs(*sight.report).value_or(0);
      ends_[sight.rank()] = endOf(*sight.report, wait == waits.end() ? nullptr : &wait->second, patience_ns);
    }
  }

  JobEnd find() {
    addIf([](RankEnd end) { return end == RankEnd::kByLauncher || end == RankEnd::kAsked; });
    if (isGoingOn()) {
      end_ = {};
    }
    const uint64_t ended_by_signal_ns = end_.at_ns.value_or(UINT64_MAX);
    addIf([](RankEnd end) { return end == RankEnd::kGaveUp; });
    addKilled();
    addLater();
    for (const auto& [rank, end] : ends_) {
      if (end == RankEnd::kGaveUp && ended_ns_.at(rank) < ended_by_signal_ns) {
        end_.gave_up.push_back(rank);
      } else if (!end_.alive.contains(rank) && hasFailed(rank)) {
        end_.failed.push_back(rank);
        if (failedAtOnce(rank)) {
          end_.at_once.insert(rank);
        }
      }
    }
    return std::move(end_);
  }

 private:
  bool has(RankEnd wanted) const {
    return std::any_of(ends_.begin(), ends_.end(), [wanted](const auto& item) { return item.second == wanted; });
  }

  template <typename Wanted>
  void addIf(Wanted isWanted) {
    for (const RankSight& sight : sights_) {
      if (isWanted(ends_.at(sight.rank()))) {
        add(sight);
      }
    }
  }

  void add(const RankSight& sight) {
    const Job& job = sight.report->job;
    end_.alive.insert(sight.rank());
    const std::optional<uint64_t> began_ns = endBeganNs(*sight.report);
    if (began_ns && (!end_.at_ns || *began_ns < *end_.at_ns)) {
      end_.at_ns = began_ns;
      end_.signal = job.exit_signal;
      end_.exit_status = job.exit_status;
    }
  }

  /// Returns whether the rank failed by itself, and not because a rank that it waited for was dead.
  bool hasFailed(int64_t rank) const {
    const RankEnd end = ends_.at(rank);
    if (end != RankEnd::kBroke) {
      return end == RankEnd::kFailed;
    }
    const std::vector<int64_t>& blockers = waits_.at(rank).blockers;
    return std::none_of(blockers.begin(), blockers.end(), [&](int64_t blocker) { return diedBefore(blocker, rank); });
  }

  /// Returns whether the rank failed within a moment of issuing a call: no one's absence did that.
  bool failedAtOnce(int64_t rank) const {
    const auto wait = waits_.find(rank);
    return ends_.at(rank) == RankEnd::kBroke && wait->second.call->issued_at_ns + kMomentNs > ended_ns_.at(rank);
  }

  bool diedBefore(int64_t one, int64_t other) const {
    const auto end = ends_.find(one);
    if (end == ends_.end() || end->second == RankEnd::kRuns || end_.alive.contains(one)) {
      return false;
    }
    return ended_ns_.at(one) <= ended_ns_.at(other);
  }

  bool isGoingOn() const {
    const uint64_t at_ns = end_.at_ns.value_or(0);
    return has(RankEnd::kRuns) && now_ns_ > at_ns && now_ns_ - at_ns >= kEndingNs;
  }

  /// Adds ranks that the launcher ended with the others though its signal was not seen: another one had failed by
  /// itself, and no rank waited for them.
  void addUnseen() {
    std::set<int64_t> awaited;
    for (const auto& [rank, wait] : waits_) {
      awaited.insert(wait.blockers.begin(), wait.blockers.end());
    }
    for (const RankSight& sight : sights_) {
      if (ends_.at(sight.rank()) == RankEnd::kKilled && has(RankEnd::kFailed) && !awaited.contains(sight.rank())) {
        end_.alive.insert(sight.rank());
      }
    }
  }

  /// Adds ranks that were killed with all others. One that others broke off for was killed before them. If others ended
  /// by themselves, only a rank that waited was alive until the job was killed.
  void addKilled() {
    if (has(RankEnd::kRuns)) {
      return;
    }
    if (has(RankEnd::kByLauncher)) {
      addUnseen();
      return;
    }
    const bool ended_others = has(RankEnd::kFinished) || has(RankEnd::kFailed);
    std::set<int64_t> first;
    for (const auto& [rank, wait] : waits_) {
      if (ends_.at(rank) == RankEnd::kBroke) {
        first.insert(wait.blockers.begin(), wait.blockers.end());
      }
    }
    for (const RankSight& sight : sights_) {
      const bool may_be_alive = !ended_others || waits_.contains(sight.rank());
      if (ends_.at(sight.rank()) == RankEnd::kKilled && may_be_alive && !first.contains(sight.rank())) {
        add(sight);
      }
    }
  }

  /// Adds ranks that ended by themselves while the job was being ended: they lost their peers, or heeded a signal.
  void addLater() {
    for (const RankSight& sight : sights_) {
      if (end_.at_ns && ended_ns_.at(sight.rank()) >= *end_.at_ns) {
        end_.alive.insert(sight.rank());
      }
    }
  }

  std::span<const RankSight> sights_;
  const Waits& waits_;
  uint64_t now_ns_;
  std::map<int64_t, RankEnd> ends_;
  std::map<int64_t, uint64_t> ended_ns_; ///< CLOCK_REALTIME; 0: not known, or it runs
  JobEnd end_;
};

} // namespace

std::optional<uint64_t> endBeganNs(const Report& report) {
  if (report.job.exit == ExitKind::kRunning) {
    return std::nullopt;
  }
  return wasAsked(report) ? report.job.signal_sent_at_ns : report.job.ended_at_ns;
}

std::optional<uint64_t> signalOfEnd(const Report& report) {
  const Job& job = report.job;
  const bool ended_soon =
      job.signal_sent_at_ns && job.ended_at_ns && *job.ended_at_ns <= *job.signal_sent_at_ns + kEndingNs;
  return ended_soon ? job.signal_sent_at_ns : std::nullopt;
}

bool hasFinished(const Job& job) {
  return job.exit == ExitKind::kAfterWork || (exitsByItself(job.exit) && job.exit_status.value_or(0) == 0);
}

JobEnd jobEndOf(std::span<const RankSight> sights, const Waits& waits, uint64_t now_ns, uint64_t patience_ns) {
  return EndFinder(sights, waits, now_ns, patience_ns).find();
}

} // namespace commtap
