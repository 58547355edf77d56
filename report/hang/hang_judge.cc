// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_judge.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "report/hang/hang_mismatch.h"
#include "report/hang/hang_waits.h"
#include "report/hang/wait_graph.h"
#include "report/job/job_summary.h"
#include "report/merge/last_activity.h"
#include "report/model/amounts.h"

namespace commtap {
namespace {

/// Seconds after which a wait for a rank that is dead is no longer a moment between two reads of reports.
constexpr double kSureSeconds = 1;
constexpr size_t kMostCounts = 5;
constexpr size_t kMostListed = 256; ///< ranks in a verdict besides the causes

struct StateReason {
  RankState state;
  HangReason reason;
};
/// The reasons why a rank does not come, the surest first.
constexpr std::array<StateReason, 8> kEndReasons = {{
    {RankState::kKilled, HangReason::kKilled},
    {RankState::kExited, HangReason::kExited},
    {RankState::kNeverCame, HangReason::kNeverCame},
    {RankState::kStopped, HangReason::kStopped},
    {RankState::kWaits, HangReason::kInNccl}, // what it waits for is known to NCCL only
    {RankState::kBlocked, HangReason::kBlocked},
    {RankState::kUnknown, HangReason::kElsewhere},
    {RankState::kRuns, HangReason::kComputing},
}};

/// Returns whether the rank certainly does not come.
bool isSure(HangReason reason) {
  return reason == HangReason::kKilled || reason == HangReason::kExited;
}

bool contains(const std::vector<int64_t>& ranks, int64_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

class Judge {
 public:
  Judge(std::span<const RankSight> sights, const HangClock& clock)
      : sights_(sights),
        clock_(clock),
        groups_(sights),
        waits_(waitsOf(sights, groups_)),
        graph_(sights, waits_, clock.has_all_hosts ? RankState::kNeverCame : RankState::kUnknown),
        mismatches_(mismatchesOf(groups_)) {}

  Verdict run() {
    describeJob();
    dropDoubtful();
    if (!mismatches_.empty()) {
      judgeMismatch(mismatches_.front());
    } else if (const std::vector<int64_t> ends = graph_.ends(); !ends.empty() || !graph_.cycle().empty()) {
      judgeWaits(ends);
    } else {
      judgeIdle();
    }
    findDivergence();
    addCounts();
    addRanks();
    return std::move(verdict_);
  }

 private:
  void describeJob() {
    uint64_t last_ns = clock_.moved_ns;
    for (const RankSight& sight : sights_) {
      last_ns = std::max(last_ns, lastActivityNs(*sight.report));
      has_moved_ = has_moved_ || sight.look.has_moved;
      const Job& job = sight.report->job;
      verdict_.run_id = job.run_id;
      verdict_.attempt = job.attempt;
      verdict_.world_size = job.world_size ? job.world_size : verdict_.world_size;
    }
    verdict_.quiet_s = has_moved_ ? 0 : secondsSince(last_ns);
  }

  /// Tagged messages may match out of order. Judge them in a hung job only.
  void dropDoubtful() {
    if (graph_.hasRunning() ? !isQuiet() : !wasKilled()) {
      std::erase_if(mismatches_, [](const Mismatch& each) { return each.reason == HangReason::kUnmatched; });
    }
  }

  double secondsSince(uint64_t then_ns) const {
    return clock_.now_ns > then_ns ? static_cast<double>(clock_.now_ns - then_ns) / 1e9 : 0;
  }
  bool isQuiet() const {
    return !has_moved_ && verdict_.quiet_s >= clock_.patience_s;
  }
  bool wasKilled() const {
    return std::any_of(sights_.begin(), sights_.end(), [this](const RankSight& sight) {
      return graph_.stateOf(sight.rank()) == RankState::kKilled;
    });
  }
  /// Returns the status of a job whose ranks no longer run, or of one with a cause that time does not remove.
  HangStatus statusOf(bool is_stuck) const {
    if (graph_.hasRunning()) {
      return is_stuck ? HangStatus::kStuck : HangStatus::kWrong;
    }
    return wasKilled() ? HangStatus::kStuck : HangStatus::kWrong;
  }

  void setSince(uint64_t since_ns) {
    verdict_.since_ns = since_ns;
    verdict_.waits_s = secondsSince(since_ns);
  }

  void judgeMismatch(const Mismatch& mismatch) {
    about_ = mismatch.group;
    cause_ = mismatch.cause;
    verdict_.reason = mismatch.reason;
    verdict_.inferred = mismatch.reason == HangReason::kSkipped || mismatch.reason == HangReason::kExtra ||
                        mismatch.reason == HangReason::kUnmatched;
    verdict_.status = statusOf(isQuiet());
    setSince(mismatch.at_ns);
    for (const MismatchSide& side : mismatch.sides) {
      HangCall call = hangCallOf(*mismatch.group, side.ranks.front(), *side.call);
      call.ranks = rankRanges(side.ranks);
      if (!verdict_.call && contains(cause_, side.ranks.front())) {
        verdict_.call = call;
      }
      verdict_.calls.push_back(std::move(call));
    }
    if (mismatch.reason == HangReason::kSkipped) { // the call is the one that the cause left out
      const auto made = std::find_if(mismatch.sides.begin(), mismatch.sides.end(), [this](const MismatchSide& side) {
        return !contains(cause_, side.ranks.front());
      });
      if (made != mismatch.sides.end()) {
        verdict_.call = hangCallOf(*mismatch.group, made->ranks.front(), *made->call);
      }
    }
  }

  void judgeWaits(const std::vector<int64_t>& ends) {
    for (const auto& [state, reason] : kEndReasons) {
      for (const int64_t rank : ends) {
        if (graph_.stateOf(rank) == state) {
          cause_.push_back(rank);
        }
      }
      if (!cause_.empty()) {
        verdict_.reason = reason;
        break;
      }
    }
    const bool may_come =
        cause_.empty() || verdict_.reason == HangReason::kElsewhere || verdict_.reason == HangReason::kComputing;
    if (const std::vector<int64_t> cycle = may_come ? graph_.cycle() : std::vector<int64_t>(); !cycle.empty()) {
      judgeCycle(cycle);
    } else {
      findMissing();
    }
    verdict_.status = statusOfWait();
  }

  void judgeCycle(const std::vector<int64_t>& cycle) {
    verdict_.reason = HangReason::kCycle;
    cause_ = cycle;
    uint64_t since_ns = 0;
    for (const int64_t rank : cycle) {
      const Wait& wait = waits_.at(rank);
      since_ns = std::max(since_ns, wait.call->issued_at_ns);
      verdict_.inferred = verdict_.inferred || wait.inferred;
      verdict_.calls.push_back(hangCallOf(*wait.group, rank, *wait.call));
    }
    about_ = waits_.at(cycle.front()).group;
    verdict_.call = verdict_.calls.front();
    setSince(since_ns);
  }

  /// Finds the first call for which a rank waits for a cause.
  void findMissing() {
    const Wait* first = nullptr;
    int64_t waiter = 0;
    int64_t cause = 0;
    for (const auto& [rank, wait] : waits_) {
      for (const int64_t blocker : graph_.blockersOf(rank)) {
        if (contains(cause_, blocker) && (first == nullptr || wait.call->issued_at_ns < first->call->issued_at_ns)) {
          first = &wait;
          waiter = rank;
          cause = blocker;
        }
      }
    }
    if (first == nullptr) {
      return;
    }
    about_ = first->group;
    verdict_.inferred = first->inferred || verdict_.reason == HangReason::kNeverCame;
    const LastCollective* call = first->call;
    const HangMember* member = first->group->memberOf(cause);
    if (member != nullptr && !isPointToPoint(call->kind)) {
      const LastCollective* missing = firstMissing(*first->group, *member, waiter);
      call = missing == nullptr ? call : missing;
    }
    verdict_.call = hangCallOf(*first->group, waiter, *call);
    setSince(call->issued_at_ns);
  }

  HangStatus statusOfWait() const {
    if (!graph_.hasRunning()) {
      return statusOf(true);
    }
    if (isSure(verdict_.reason)) {
      return verdict_.waits_s >= kSureSeconds ? HangStatus::kStuck : HangStatus::kHealthy;
    }
    if (!isQuiet()) {
      return HangStatus::kHealthy;
    }
    return verdict_.reason == HangReason::kComputing ? HangStatus::kUnknown : HangStatus::kStuck;
  }

  void judgeIdle() {
    const bool has_running = graph_.hasRunning();
    if (!has_running && !wasKilled()) {
      judgeEnd();
      return;
    }
    if (has_running && !isQuiet()) {
      verdict_.status = HangStatus::kHealthy;
      return;
    }
    verdict_.status = HangStatus::kUnknown;
    if (!has_running) {
      verdict_.reason = HangReason::kKilled;
      return;
    }
    const bool computes = std::all_of(sights_.begin(), sights_.end(), [this](const RankSight& sight) {
      return sight.hasEnded() || graph_.stateOf(sight.rank()) == RankState::kRuns;
    });
    verdict_.reason = computes ? HangReason::kComputing : HangReason::kQuiet;
    if (!computes) {
      findCommonCall();
    }
  }

  /// All ranks have exited by themselves, and none waited: those with an error are to be looked at.
  void judgeEnd() {
    for (const RankSight& sight : sights_) {
      if (sight.report->job.exit_status.value_or(0) != 0) {
        cause_.push_back(sight.rank());
      }
    }
    verdict_.status = cause_.empty() ? HangStatus::kHealthy : HangStatus::kUnknown;
    verdict_.reason = cause_.empty() ? HangReason::kNone : HangReason::kExited;
  }

  /// Finds out whether all ranks issued the same collective last.
  void findCommonCall() {
    const LastCollective* common = nullptr;
    for (const RankSight& sight : sights_) {
      const std::vector<LastCollective>& last = sight.report->last;
      const bool is_same =
          !last.empty() && !isPointToPoint(last.back().kind) &&
          (common == nullptr || (last.back().group == common->group && last.back().sequence == common->sequence));
      if (!is_same) {
        return;
      }
      common = &last.back();
    }
    if (common != nullptr && common->state < LastState::kCompleted) {
      const Report& report = *sights_.back().report;
      about_ = groups_.groupOf(report, common->group);
      if (about_ != nullptr) {
        verdict_.reason = HangReason::kNotCompleted;
        verdict_.call = hangCallOf(*about_, sights_.back().rank(), *common);
        setSince(common->issued_at_ns);
      }
    }
  }

  /// An older difference than those that reports hold is the cause, unless a rank died.
  void findDivergence() {
    for (const HangGroup& group : groups_.all()) {
      std::optional<HangDivergence> found = divergenceOf(group);
      const bool is_older = mismatches_.empty() || &group != mismatches_.front().group ||
                            (found && found->to < mismatches_.front().sequence);
      if (!found || !is_older || verdict_.divergence) {
        continue;
      }
      verdict_.divergence = std::move(found);
      if (verdict_.reason != HangReason::kKilled) {
        verdict_.reason = HangReason::kDiverged;
        about_ = &group;
        cause_.clear();
        for (const auto& [first, last] : verdict_.divergence->ranks) {
          for (int64_t rank = first; rank <= last; ++rank) {
            cause_.push_back(rank);
          }
        }
        if (verdict_.status == HangStatus::kHealthy) {
          verdict_.status = HangStatus::kWrong;
        }
      }
    }
  }

  void addCounts() {
    const bool is_told = verdict_.status == HangStatus::kStuck || verdict_.status == HangStatus::kWrong;
    if (about_ != nullptr && is_told && !cause_.empty()) {
      const bool are_all = cause_.size() >= about_->members.size();
      const ComparedRanks ranks = comparedRanks(*about_, are_all ? std::vector<int64_t>{cause_.back()} : cause_);
      if (ranks.one != nullptr && ranks.other != nullptr) {
        verdict_.compared = {ranks.one->rank, ranks.other->rank};
      }
      verdict_.counts = countsOf(ranks, kMostCounts);
    }
    verdict_.cause = rankRanges(cause_);
  }

  void addRanks() {
    const std::set<int64_t> victims = graph_.victimsOf(cause_);
    size_t listed = 0;
    for (const RankSight& sight : sights_) {
      const bool is_cause = contains(cause_, sight.rank());
      if (is_cause || listed++ < kMostListed) {
        verdict_.ranks.push_back(rankOf(sight, victims));
      }
    }
    for (const int64_t rank : cause_) {
      if (groups_.sightOf(rank) == nullptr) {
        HangRank& absent = verdict_.ranks.emplace_back();
        absent.rank = rank;
        absent.role = RankRole::kCause;
        absent.state = graph_.stateOf(rank);
      }
    }
  }

  HangRank rankOf(const RankSight& sight, const std::set<int64_t>& victims) const {
    const Job& job = sight.report->job;
    HangRank rank;
    rank.rank = sight.rank();
    rank.state = graph_.stateOf(rank.rank);
    rank.host = job.host;
    rank.pid = job.pid;
    rank.exit_signal = job.exit_signal;
    rank.exit_status = job.exit_status;
    rank.process = sight.look.text;
    rank.steps = endedSteps(*sight.report);
    rank.role = contains(cause_, rank.rank)   ? RankRole::kCause
                : victims.contains(rank.rank) ? RankRole::kVictim
                                              : RankRole::kOther;
    rank.waits_for = rankRanges(graph_.blockersOf(rank.rank));
    const auto wait = waits_.find(rank.rank);
    const LastCollective* call = sight.report->last.empty() ? nullptr : &sight.report->last.back();
    if (!rank.waits_for.empty()) {
      call = wait->second.call;
      rank.inferred = wait->second.inferred;
    }
    const HangGroup* group = call == nullptr ? nullptr : groups_.groupOf(*sight.report, call->group);
    if (group != nullptr) {
      rank.call = hangCallOf(*group, rank.rank, *call);
    }
    if (const NcclOpenCall* open = openCallOf(*sight.report); open != nullptr && rank.state != RankState::kExited) {
      rank.nccl_function = open->function;
      rank.nccl_entered_at_ns = open->entered_at_ns;
      rank.nccl_s = sight.hasEnded() ? 0 : secondsSince(open->entered_at_ns);
    }
    return rank;
  }

  std::span<const RankSight> sights_;
  const HangClock& clock_;
  HangGroups groups_;
  Waits waits_;
  WaitGraph graph_;
  std::vector<Mismatch> mismatches_;
  bool has_moved_ = false;
  const HangGroup* about_ = nullptr; ///< the group that the verdict is about
  std::vector<int64_t> cause_;
  Verdict verdict_;
};

} // namespace

Verdict judge(std::span<const RankSight> sights, const HangClock& clock) {
  return Judge(sights, clock).run();
}

} // namespace commtap
