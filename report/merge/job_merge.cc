// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_merge.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "report/job/job_columns.h"
#include "report/json/columns.h"
#include "report/model/amounts.h"
#include "report/model/model.h"
#include "report/model/saturating.h"
#include "report/model/work_end.h"

namespace commtap {

/// Finds the place of each group of one report at the group's first use.
class JobMerge::GroupPlaces {
 public:
  GroupPlaces(const Report& report, JobGroups& groups)
      : groups_(groups), defined_(report.groups), identities_(identitiesOf(report.groups)) {
    for (size_t i = 0; i < defined_.size(); ++i) {
      known_.emplace(defined_[i].name, i);
    }
  }

  GroupPlace of(const std::string& name) {
    const auto found = places_.find(name);
    if (found != places_.end()) {
      return found->second;
    }
    const auto known = known_.find(name);
    const GroupPlace place = known == known_.end()
                                 ? groups_.placeOfUnknown(name)
                                 : groups_.placeOf(defined_[known->second], identities_[known->second]);
    return places_.emplace(name, place).first->second;
  }

 private:
  JobGroups& groups_;
  const std::vector<Group>& defined_;
  std::vector<GroupIdentity> identities_;
  std::unordered_map<std::string_view, size_t> known_;
  std::unordered_map<std::string_view, GroupPlace> places_;
};

namespace {

/// Returns how ranks ended, as far as it says why they have fewer calls than others.
JobEndings endingsOf(const std::vector<JobProcess>& processes) {
  std::vector<int64_t> killed;
  std::vector<int64_t> unclear;
  for (const JobProcess& process : processes) {
    if (process.rank && wasKilled(process)) {
      killed.push_back(*process.rank);
    } else if (process.rank && (process.exit == ExitKind::kSignal || process.exit == ExitKind::kRunning)) {
      unclear.push_back(*process.rank);
    }
  }
  return {rankRanges(std::move(killed)), rankRanges(std::move(unclear))};
}

/// Returns the members of a row, and removes them and those of rows before it.
std::span<const Member> takeRow(std::span<const Member>& members, uint64_t row) {
  const auto first =
      std::find_if(members.begin(), members.end(), [row](const Member& each) { return each.row >= row; });
  const auto end = std::find_if(first, members.end(), [row](const Member& each) { return each.row != row; });
  const std::span<const Member> found(first, end);
  members = std::span<const Member>(end, members.end());
  return found;
}

/// Drops the members of the rows beyond the first kMostMembers members.
void boundMembers(std::vector<JobCollective>& rows) {
  size_t members = 0;
  for (JobCollective& row : rows) {
    members += row.members.size();
    if (members > kMostMembers) {
      row.members.clear();
    }
  }
}

/// Sorts rows, and the members of each, in the order of the module tree. Padding, which is no module, comes last.
void sortRows(JobReport& job) {
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < job.modules.size(); ++i) {
    places.emplace(job.modules[i].name, i);
  }
  const auto placeOf = [&places](const JobMember& member) {
    const auto found = places.find(member.module);
    return found == places.end() ? places.size() : found->second;
  };
  for (JobCollective& row : job.collectives) {
    std::sort(row.members.begin(), row.members.end(), [&placeOf](const JobMember& a, const JobMember& b) {
      return placeOf(a) < placeOf(b);
    });
  }
  const auto key = [&places](const JobCollective& row) {
    return std::tuple_cat(std::tuple(places.at(row.module)), keyOf(row));
  };
  std::sort(job.collectives.begin(), job.collectives.end(), [&key](const JobCollective& a, const JobCollective& b) {
    return key(a) < key(b);
  });
}

} // namespace

void JobMerge::add(const Report& report, const std::string& file) {
  const Job& job = report.job;
  if (!has_rank_ || !job.rank || job.rank != rank_) {
    endRank();
    has_rank_ = true;
    rank_ = job.rank;
    if (rank_) {
      ranks_.push_back(*rank_);
    }
  }
  addFacts(job);
  JobProcess process{
      job.rank,
      job.host,
      job.pid,
      job.started_at_ns,
      job.ended_at_ns,
      job.exit,
      job.exit_signal,
      file,
      {},
      {},
      job.exit_status};
  process.last_activity_ns = lastActivityNs(report);
  modules_.add(report);
  GroupPlaces places(report, groups_);
  addCollectives(report, places, process);
  addSteps(report, places);
  addLast(report, places);
  addNccl(report, places);
  group_times_.add(report);
  module_times_.add(report);
  addNotSeen(report);
  job_.processes.push_back(std::move(process));
}

void JobMerge::addFacts(const Job& job) {
  if (job_.processes.empty()) {
    job_.run_id = job.run_id;
    job_.name = job.name;
    job_.attempt = job.attempt;
    job_.torch_version = job.torch_version;
    job_.commtap_version = job.commtap_version;
    job_.argv = job.argv;
    job_.started_at_ns = job.started_at_ns;
    job_.ended_at_ns = job.ended_at_ns;
  }
  job_.planned |= job.planned;
  job_.started_at_ns = std::min(job_.started_at_ns, job.started_at_ns);
  const bool all_ended = job.ended_at_ns && job_.ended_at_ns;
  job_.ended_at_ns = all_ended ? std::max(job_.ended_at_ns, job.ended_at_ns) : std::nullopt;
  if (job.world_size) {
    job_.world_size = std::max(job_.world_size.value_or(0), *job.world_size);
  }
}

void JobMerge::addCollectives(const Report& report, GroupPlaces& places, JobProcess& process) {
  std::span<const Member> members(report.members); // in the order of rows
  for (size_t i = 0; i < report.collectives.size(); ++i) {
    const Collective& row = report.collectives[i];
    const GroupPlace place = places.of(row.group);
    const Amount amount{row.count, row.bytes, row.bus_bytes};
    const bool is_known = place.instance != GroupPlace::kUnknown;
    rows_.add(row, place.group, takeRow(members, i), is_known ? &groups_.membersOf(place.instance) : nullptr);
    agreement_.add(row, place.instance);
    coming_[{row.phase, row.kind}] += amount;
    process.totals[static_cast<size_t>(row.kind)] += amount;
  }
}

void JobMerge::addSteps(const Report& report, GroupPlaces& places) {
  std::vector<uint32_t> groups;
  for (const Step& step : report.steps) {
    for (const StepAmount& amount : step.collectives) {
      groups.push_back(places.of(amount.group).group);
    }
  }
  steps_.add(report.steps, groups);
}

void JobMerge::addLast(const Report& report, GroupPlaces& places) {
  const std::span<const LastCollective> all(report.last);
  for (const LastCollective& call : all.last(std::min(all.size(), kMostCompared))) {
    order_.add(call, places.of(call.group).instance);
  }
  order_.endProcess();
}

void JobMerge::addNccl(const Report& report, GroupPlaces& places) {
  if (!report.nccl) {
    return;
  }
  nccl_.addProcess(*report.nccl, report.job.rank);
  for (const NcclCall& call : report.nccl->calls) {
    nccl_.add(call, call.group.empty() ? std::nullopt : std::optional(places.of(call.group).group));
  }
}

void JobMerge::addNotSeen(const Report& report) {
  for (const NotSeenEntry& entry : report.not_seen) {
    auto found = std::find_if(not_seen_.begin(), not_seen_.end(), [&entry](const NotSeenSum& sum) {
      return sum.entry.reason == entry.reason;
    });
    if (found == not_seen_.end()) {
      found = not_seen_.insert(found, {entry, {}});
      found->entry.count = 0;
    }
    addSaturating(found->entry.count, entry.count);
    if (report.job.rank) {
      found->ranks.push_back(*report.job.rank);
    }
  }
}

void JobMerge::endRank() {
  if (!has_rank_) {
    return;
  }
  const RankSlot slot = sets_.addSlot(rank_);
  rows_.endRank(slot, rank_);
  modules_.endRank(slot, rank_);
  steps_.endRank(rank_);
  nccl_.endRank(slot, rank_);
  group_times_.endRank(rank_);
  module_times_.endRank(rank_);
  if (rank_) {
    agreement_.endRank(*rank_, groups_);
    order_.endRank(*rank_, groups_);
  } else {
    agreement_.dropRank();
    order_.dropRank();
  }
  for (const auto& [key, amount] : coming_) {
    addToSpreads(totals_[key], amount, rank_);
  }
  coming_.clear();
}

void JobMerge::describeRanks(JobReport& job) const {
  job.ranks = rankRanges(ranks_);
  if (job.world_size) {
    job.missing = gapsIn(job.ranks, *job.world_size);
  }
  for (const NotSeenSum& sum : not_seen_) {
    job.not_seen.push_back({sum.entry, rankRanges(sum.ranks)});
  }
}

/// Sorts groups by bytes, largest first, then by name. Renumbers them in all rows.
void JobMerge::sortGroups(JobReport& job) const {
  std::vector<JobGroup> groups = groups_.take();
  for (const JobCollective& row : job.collectives) {
    groups[row.group].totals[{row.phase, row.kind}] += sumOf(row.amount);
  }
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&groups](size_t group) {
    const uint64_t bytes = commtap::sumOf(groups[group].totals, {}, {}).bytes;
    return std::tuple(UINT64_MAX - bytes, std::string_view(groups[group].name));
  };
  std::sort(order.begin(), order.end(), [&key](size_t a, size_t b) { return key(a) < key(b); });
  std::vector<size_t> places(groups.size());
  for (size_t place = 0; place < order.size(); ++place) {
    places[order[place]] = place;
    job.groups.push_back(std::move(groups[order[place]]));
  }
  for (JobCollective& row : job.collectives) {
    row.group = places[row.group];
  }
  for (Disagreement& disagreement : job.disagreements) {
    disagreement.group = places[disagreement.group];
  }
  for (std::vector<JobStep>* steps : {&job.steps, &job.outside_steps}) {
    for (JobStep& step : *steps) {
      for (JobStepAmount& amount : step.collectives) {
        amount.group = places[amount.group];
      }
    }
  }
  if (job.nccl) {
    for (JobNcclCall& call : job.nccl->calls) {
      call.group = call.group ? std::optional(places[*call.group]) : std::nullopt;
    }
  }
}

void JobMerge::findDisagreements(JobReport& job) const {
  job.disagreements = order_.take(groups_);
  JobAgreement::Findings findings = agreement_.take(groups_, job.ranks, endingsOf(job.processes), order_);
  job.disagreements_found = job.disagreements.size() + findings.found;
  std::move(findings.worst.begin(), findings.worst.end(), std::back_inserter(job.disagreements));
  job.disagreements.resize(std::min(job.disagreements.size(), kMaxDisagreements));
}

JobReport JobMerge::finish() {
  endRank();
  has_rank_ = false;
  JobReport job = std::move(job_);
  describeRanks(job);
  job.collectives = rows_.take(sets_);
  steps_.take(job);
  job.group_times = group_times_.take();
  job.module_times = module_times_.take();
  job.nccl = nccl_.take(sets_);
  job.modules = modules_.take(job.collectives, sets_);
  findDisagreements(job);
  sortGroups(job);
  sortRows(job);
  boundMembers(job.collectives);
  if (job.nccl) {
    sortNcclCalls(job.nccl->calls, job.groups);
  }
  for (const auto& [key, amount] : totals_) {
    job.totals.push_back({key, amount});
  }
  job.rank_sets = sets_.sets();
  return job;
}

JobReport mergedJob(std::vector<const Report*> reports) {
  std::stable_sort(reports.begin(), reports.end(), [](const Report* a, const Report* b) {
    return std::tuple(!a->job.rank, a->job.rank) < std::tuple(!b->job.rank, b->job.rank);
  });
  JobMerge merge;
  for (const Report* report : reports) {
    merge.add(*report, "");
  }
  return merge.finish();
}

uint64_t lastActivityNs(const Report& report) {
  const bool was_active = !isEndUnseen(report.job.exit);
  return std::max(lastEventNs(report), was_active ? report.job.ended_at_ns.value_or(0) : 0);
}

} // namespace commtap
