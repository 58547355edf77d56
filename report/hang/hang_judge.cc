// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_judge.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "report/hang/calls_until_end.h"
#include "report/hang/hang_mismatch.h"
#include "report/hang/hang_ranks.h"
#include "report/hang/hang_waits.h"
#include "report/hang/job_end.h"
#include "report/hang/missing_call.h"
#include "report/hang/wait_graph.h"
#include "report/job/job_summary.h"
#include "report/merge/job_merge.h"
#include "report/model/work_end.h"

namespace commtap {
namespace {

/// The time after which a wait for a rank that is dead is no longer a moment between two reads of reports.
constexpr uint64_t kSureNs = 1'000'000'000;
constexpr size_t kMostCounts = 5;

struct StateReason {
  RankState state;
  HangReason reason;
};
/// The reasons why a rank does not come, the surest first.
constexpr std::array<StateReason, 9> kEndReasons = {{
    {RankState::kKilled, HangReason::kKilled},
    {RankState::kExited, HangReason::kExited},
    {RankState::kNeverCame, HangReason::kNeverCame},
    {RankState::kStopped, HangReason::kStopped},
    {RankState::kWaits, HangReason::kInNccl}, // what it waits for is known to NCCL only
    {RankState::kBlocked, HangReason::kBlocked},
    {RankState::kEnded, HangReason::kNotCome},
    {RankState::kUnknown, HangReason::kElsewhere},
    {RankState::kRuns, HangReason::kComputing},
}};

uint64_t patienceNs(const HangClock& clock) {
  return static_cast<uint64_t>(clock.patience_s * 1e9);
}

/// Returns whether the rank certainly does not come.
bool isSure(HangReason reason) {
  return reason == HangReason::kKilled || reason == HangReason::kExited;
}

/// Returns the ranks without a report that have joined a group: their reports are in other folders.
std::set<int64_t> ranksElsewhere(const HangGroups& groups) {
  std::set<int64_t> ranks;
  for (const HangGroup& group : groups.all()) {
    if (group.haveAllJoined()) {
      for (const HangMember& member : group.members) {
        if (member.sight == nullptr) {
          ranks.insert(member.rank);
        }
      }
    }
  }
  return ranks;
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
        mismatches_(mismatchesOf(groups_)),
        all_waits_(withMismatches(waits_, mismatches_)),
        end_(jobEndOf(sights, all_waits_, clock.now_ns, patienceNs(clock))),
        times_(sights, clock_, end_),
        graph_(
            sights,
            all_waits_,
            end_,
            clock.has_all_hosts ? RankState::kNeverCame : RankState::kUnknown,
            ranksElsewhere(groups_)) {}

  Verdict run() {
    describeJob();
    dropDoubtful();
    const std::vector<int64_t> ends = graph_.ends();
    const bool wait = !ends.empty() || !graph_.cycle().empty();
    if (!mismatches_.empty() && !(wait && isPassed(mismatches_.front()))) {
      judgeMismatch(mismatches_.front());
    } else if (wait) {
      judgeWaits(ends);
    } else {
      judgeIdle();
    }
    judgeFailed();
    findDivergence();
    if (end_.wasEnded() && verdict_.status == HangStatus::kHealthy) {
      forgetCause();
    }
    addCounts();
    verdict_.ranks =
        describedRanks({sights_, groups_, waits_, graph_, end_, end_.at_ns.value_or(clock_.now_ns)}, cause_);
    if (verdict_.status == HangStatus::kFailed) {
      addWaitsOfCause();
    }
    return std::move(verdict_);
  }

 private:
  void describeJob() {
    const Job& job = sights_.back().report->job;
    verdict_.run_id = job.run_id;
    verdict_.attempt = job.attempt;
    for (const RankSight& sight : sights_) {
      const std::optional<int64_t>& world_size = sight.report->job.world_size;
      verdict_.world_size = world_size ? world_size : verdict_.world_size;
      verdict_.last_activity_ns = std::max(verdict_.last_activity_ns.value_or(0), lastActivityNs(*sight.report));
    }
    verdict_.reported = sights_.size();
    verdict_.quiet_s = times_.quietS();
    if (end_.wasEnded()) {
      verdict_.end = HangEnd{end_.at_ns, end_.signal, end_.exit_status, rankRanges(end_.gave_up)};
    }
  }

  /// Adds the ranks for which those that failed had waited: these may have been ending before.
  void addWaitsOfCause() {
    for (HangRank& rank : verdict_.ranks) {
      const auto wait = rank.role == RankRole::kCause ? waits_.find(rank.rank) : waits_.end();
      if (wait != waits_.end()) {
        rank.waits_for = rankRanges(wait->second.blockers);
        rank.call = hangCallOf(*wait->second.group, rank.rank, *wait->second.call);
      }
    }
  }

  /// Returns whether ranks reduced differently and all went on, so that none waits for it.
  static bool isPassed(const Mismatch& mismatch) {
    const std::vector<HangMember>& members = mismatch.group->members;
    return mismatch.reason == HangReason::kReduceOp &&
           std::all_of(members.begin(), members.end(), [&mismatch](const HangMember& member) {
             return member.issued() > mismatch.sequence;
           });
  }

  /// Tagged messages may match out of order. Judge them in a hung job only.
  void dropDoubtful() {
    if (times_.isTimed() ? !times_.isQuiet() : !wasKilled()) {
      std::erase_if(mismatches_, [](const Mismatch& each) { return each.reason == HangReason::kUnmatched; });
    }
  }

  bool wasKilled() const {
    return std::any_of(sights_.begin(), sights_.end(), [](const RankSight& sight) {
      const ExitKind exit = sight.report->job.exit;
      return exit == ExitKind::kKilled || exit == ExitKind::kSignal;
    });
  }
  /// Returns the status of a job with a cause that time does not remove.
  HangStatus statusOf(bool is_stuck) const {
    return (times_.isTimed() ? is_stuck : wasKilled()) ? HangStatus::kStuck : HangStatus::kWrong;
  }

  void setSince(uint64_t since_ns) {
    verdict_.since_ns = since_ns;
    verdict_.waits_s = std::max(times_.secondsSince(since_ns), end_.at_ns ? verdict_.quiet_s : 0);
  }

  void judgeMismatch(const Mismatch& mismatch) {
    gaveUpTogether();
    about_ = mismatch.group;
    cause_ = mismatch.cause;
    verdict_.reason = mismatch.reason;
    verdict_.inferred = !mismatch.is_proven || mismatch.reason == HangReason::kUnmatched;
    const bool may_hang = mismatch.reason != HangReason::kReduceOp || times_.isTimed();
    verdict_.status = may_hang ? statusOf(times_.isQuiet()) : HangStatus::kWrong;
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
    if (verdict_.reason == HangReason::kInNccl) {
      findMakersOfGroups();
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

  /// Returns the call in which the rank makes a process group; nullptr if it makes none, or has ended by itself.
  const EnteredCall* groupCallOf(const RankSight& sight) const {
    const EnteredCall* open = openCallOf(*sight.report);
    const bool is_there = !sight.hasEnded() || end_.alive.contains(sight.rank());
    return open != nullptr && is_there && makesGroup(open->function) ? open : nullptr;
  }

  std::vector<int64_t> makersOfGroups() const {
    std::vector<int64_t> makers;
    for (const RankSight& sight : sights_) {
      if (groupCallOf(sight) != nullptr) {
        makers.push_back(sight.rank());
      }
    }
    return makers;
  }

  /// Names all ranks that make a process group, if the cause does: each has to make the same one.
  void findMakersOfGroups() {
    std::vector<int64_t> makers = makersOfGroups();
    if (contains(makers, cause_.front())) {
      verdict_.reason = HangReason::kMakingGroup;
      cause_ = std::move(makers);
    }
  }

  /// Names the ranks that make a process group, in a job in which no rank waits in a collective.
  bool judgeMakingGroup() {
    cause_ = makersOfGroups();
    if (cause_.empty()) {
      return false;
    }
    uint64_t since_ns = UINT64_MAX;
    for (const int64_t rank : cause_) {
      since_ns = std::min(since_ns, openCallOf(*groups_.sightOf(rank)->report)->entered_at_ns);
    }
    verdict_.reason = HangReason::kMakingGroup;
    setSince(since_ns);
    return true;
  }

  /// Names the rank of a cycle that left out the call in which another one waits for it, if it is the only one there,
  /// and the ranks that left out the same call of the model.
  bool judgeSkipIn(const std::vector<int64_t>& cycle) {
    const std::vector<LeftOutCall> skips = leftOutIn(cycle, {groups_, waits_, graph_});
    if (skips.empty()) {
      return false;
    }
    for (const LeftOutCall& skip : skips) {
      cause_.push_back(skip.rank);
    }
    const LeftOutCall& skip = skips.front();
    verdict_.reason = HangReason::kSkipped;
    verdict_.inferred = true;
    about_ = skip.wait->group;
    verdict_.call = hangCallOf(*about_, skip.waiter, *skip.call);
    const HangGroup& made_in = *groups_.groupOf(*groups_.sightOf(skip.rank)->report, skip.made->group);
    verdict_.calls = {*verdict_.call, hangCallOf(made_in, skip.rank, *skip.made)};
    verdict_.calls.back().ranks = rankRanges(cause_);
    verdict_.went_on = skip.made != &groups_.sightOf(skip.rank)->report->last.back();
    setSince(skip.wait->call->issued_at_ns);
    return true;
  }

  void judgeCycle(const std::vector<int64_t>& cycle) {
    if (judgeSkipIn(cycle)) {
      return;
    }
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

  void findMissing() {
    if (const std::optional<MissingCall> found = missingCall(cause_, {groups_, waits_, graph_})) {
      about_ = found->wait->group;
      verdict_.inferred = found->wait->inferred || verdict_.reason == HangReason::kNeverCame;
      verdict_.call = hangCallOf(*about_, found->waiter, *found->call);
      setSince(found->call->issued_at_ns);
    }
  }

  /// Returns whether ranks that were killed may have been alive until the end: a scheduler sends its signal to all
  /// processes, and the launcher then to those that are left. What kills one rank, such as a lack of memory, is no end.
  bool mayBeOfTheEnd() const {
    const bool is_short = end_.wasEnded() && times_.isTimed() && !times_.isQuiet();
    return verdict_.reason == HangReason::kKilled && cause_.size() > 1 && is_short;
  }

  /// Returns whether one of the ranks was killed or failed. One that finished while others wait for it is a hang.
  bool hasCrashed(const std::vector<int64_t>& ranks) const {
    return std::any_of(
        ranks.begin(), ranks.end(), [this](int64_t rank) { return !hasFinished(groups_.sightOf(rank)->report->job); });
  }

  /// Returns whether the ranks that failed are why a job ended: it is known of each other rank that it did not. All
  /// ranks may have been ended by one signal, several that were killed with the others, and one whose end was not seen
  /// may have finished.
  bool areWhyItEnded(const std::vector<int64_t>& failed, bool were_killed) const {
    const bool are_known = sights_.size() == static_cast<uint64_t>(verdict_.world_size.value_or(0));
    const bool may_be_ended = failed.size() == sights_.size() && verdict_.reason == HangReason::kKilled;
    const bool was_killed = failed.size() == 1 && end_.wasEnded() && !wasActiveAtEnd(failed.front());
    return are_known && !may_be_ended && (!were_killed || was_killed);
  }

  /// Returns whether the rank went on until its launcher ended the others: a signal to it may not have been seen.
  bool wasActiveAtEnd(int64_t rank) const {
    return end_.at_ns && lastEventNs(*groups_.sightOf(rank)->report) + kSureNs >= *end_.at_ns;
  }

  HangStatus statusOfWait() const {
    if (mayBeOfTheEnd()) {
      return HangStatus::kUnknown;
    }
    if (isSure(verdict_.reason)) {
      const bool is_moment = graph_.hasRunning() && clock_.now_ns < verdict_.since_ns.value_or(0) + kSureNs;
      return is_moment                                ? HangStatus::kHealthy
             : hasCrashed(cause_) && !times_.isLong() ? HangStatus::kFailed
                                                      : statusOf(true);
    }
    if (!times_.isTimed()) { // what a rank without a report did is not known, either
      const bool is_absent = verdict_.reason == HangReason::kNeverCame || verdict_.reason == HangReason::kElsewhere;
      return end_.wasEnded() || is_absent ? HangStatus::kUnknown : statusOf(true);
    }
    if (!times_.isQuiet()) {
      return HangStatus::kHealthy;
    }
    const bool may_not_wait = verdict_.reason == HangReason::kElsewhere && verdict_.inferred;
    return verdict_.reason == HangReason::kComputing || may_not_wait ? HangStatus::kUnknown : HangStatus::kStuck;
  }

  void judgeIdle() {
    const bool may_hang = !times_.isTimed() || times_.isQuiet();
    if (may_hang && judgeMakingGroup()) {
      verdict_.status = times_.isTimed() ? HangStatus::kStuck : HangStatus::kUnknown;
    } else if (may_hang && graph_.hasRunning()) {
      judgeQuiet();
    } else if (may_hang && end_.wasEnded()) {
      verdict_.status = HangStatus::kUnknown;
      verdict_.reason = times_.isTimed() ? HangReason::kQuiet : HangReason::kKilled;
      findCommonCall();
    } else {
      verdict_.status = HangStatus::kHealthy;
    }
  }

  /// Returns whether all ranks failed long after the last event, as the watchdogs of all do, and notes that as the end.
  bool gaveUpTogether() {
    const std::optional<CommonEnd> found = times_.commonEnd();
    if (!found) {
      return false;
    }
    const Job& first = *found->first;
    std::vector<int64_t> ranks;
    for (const RankSight& sight : sights_) {
      ranks.push_back(sight.rank());
    }
    end_.at_ns = first.ended_at_ns;
    verdict_.quiet_s = found->quiet_s;
    verdict_.end = HangEnd{end_.at_ns, first.exit_signal, first.exit_status, rankRanges(std::move(ranks))};
    return true;
  }

  /// Returns whether all ranks gave up a collective that all had issued.
  bool gaveUpCommonCall() {
    findCommonCall();
    if (verdict_.reason == HangReason::kNotCompleted && gaveUpTogether()) {
      if (!verdict_.end->signal) { // no watchdog: they may have raised an exception after the call had completed
        verdict_.end->gave_up.clear();
      }
      setSince(verdict_.since_ns.value_or(0));
      return true;
    }
    return false;
  }

  void judgeQuiet() {
    if (judgeStopped()) {
      return;
    }
    const bool computes = std::all_of(sights_.begin(), sights_.end(), [this](const RankSight& sight) {
      return sight.hasEnded() || graph_.stateOf(sight.rank()) == RankState::kRuns;
    });
    verdict_.status = HangStatus::kUnknown;
    verdict_.reason = computes ? HangReason::kComputing : HangReason::kQuiet;
    if (!computes) {
      findCommonCall();
    }
  }

  /// Names the ranks that failed, or were killed before the others, in a job that has ended without another cause. No
  /// rank is known to have waited for them.
  void judgeFailed() {
    if (graph_.hasRunning() || verdict_.status != HangStatus::kHealthy) {
      return;
    }
    std::vector<int64_t> killed;
    std::vector<int64_t> others;
    for (const RankSight& sight : sights_) {
      const Job& job = sight.report->job;
      if (!end_.alive.contains(sight.rank()) && !hasFinished(job)) {
        (job.exit == ExitKind::kKilled ? killed : others).push_back(sight.rank());
      }
    }
    const std::vector<int64_t>& failed = !killed.empty() ? killed : !end_.failed.empty() ? end_.failed : others;
    if (failed.empty()) {
      return;
    }
    verdict_.status = HangStatus::kUnknown;
    if (killed.empty() && gaveUpCommonCall()) {
      return;
    }
    const bool by_signal = std::any_of(
        failed.begin(), failed.end(), [this](int64_t rank) { return graph_.stateOf(rank) == RankState::kKilled; });
    verdict_.reason = by_signal ? HangReason::kKilled : HangReason::kExited;
    verdict_.status = areWhyItEnded(failed, !killed.empty()) ? HangStatus::kFailed : HangStatus::kUnknown;
    forgetCall();
    cause_ = failed;
  }

  /// Names the ranks whose processes are stopped, though no rank is known to wait for them.
  bool judgeStopped() {
    for (const RankSight& sight : sights_) {
      if (sight.look.is_stopped) {
        cause_.push_back(sight.rank());
      }
    }
    if (cause_.empty()) {
      return false;
    }
    verdict_.status = HangStatus::kStuck;
    verdict_.reason = HangReason::kStopped;
    return true;
  }

  /// Finds out whether all ranks issued the same collective last. What a rank without a report issued is not known.
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
      if (about_ != nullptr && about_->members.size() > 1 && about_->hasAllReports()) {
        verdict_.reason = HangReason::kNotCompleted;
        verdict_.call = hangCallOf(*about_, sights_.back().rank(), *common);
        setSince(common->issued_at_ns);
      }
    }
  }

  /// Forgets the rank that had not come to a call when a healthy job was ended: others were ahead of it for a moment.
  void forgetCause() {
    cause_.clear();
    verdict_.reason = HangReason::kNone;
    verdict_.inferred = false;
    forgetCall();
  }

  void forgetCall() {
    verdict_.call.reset();
    verdict_.calls.clear();
    verdict_.since_ns.reset();
    verdict_.waits_s = 0;
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
      if (verdict_.reason != HangReason::kKilled || cause_.empty()) {
        verdict_.reason = HangReason::kDiverged;
        about_ = &group;
        cause_.clear();
        for (const auto& [first, last] : verdict_.divergence->ranks) {
          for (int64_t rank = first; rank <= last; ++rank) {
            cause_.push_back(rank);
          }
        }
        if (verdict_.status != HangStatus::kStuck) {
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

  std::span<const RankSight> sights_;
  const HangClock& clock_;
  HangGroups groups_;
  Waits waits_;
  std::vector<Mismatch> mismatches_;
  Waits all_waits_; ///< `waits_`, and those in calls that differ
  JobEnd end_;
  HangTimes times_;
  WaitGraph graph_;
  const HangGroup* about_ = nullptr; ///< the group that the verdict is about
  std::vector<int64_t> cause_;
  Verdict verdict_;
};

} // namespace

Verdict judge(std::span<const RankSight> sights, const HangClock& clock) {
  const CallsUntilEnd until_end(sights, patienceNs(clock));
  return Judge(until_end.sights(), clock).run();
}

} // namespace commtap
