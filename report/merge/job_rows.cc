// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_rows.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "report/base/string_table.h"
#include "report/job/job_columns.h"
#include "report/merge/rank_slots.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

consteval size_t at(std::string_view column) {
  return keyIndex<Collective>(column);
}

} // namespace

/// Names columns, because a document numbers its rank sets in the order of rows in the map, which follows from this
/// hash and from the numbers of texts. A column that it lacks only makes keys collide.
size_t JobRows::KeyHash::operator()(const Key& key) const {
  size_t hash = std::get<at(field::kModule)>(key);
  for (const uint32_t part :
       {std::get<at(field::kIssuedIn)>(key),
        std::get<at(field::kOp)>(key),
        std::get<at(field::kGroup)>(key),
        std::get<at(field::kDtype)>(key),
        std::get<at(field::kReduceOp)>(key),
        std::get<at(field::kLabel)>(key)}) {
    hash = mixHash(hash, part);
  }
  const auto names = static_cast<size_t>(std::get<at(field::kPhase)>(key)) << 16U |
                     static_cast<size_t>(std::get<at(field::kKind)>(key)) << 8U;
  const auto flags = static_cast<size_t>(std::get<at(field::kCompiled)>(key)) << 24U |
                     static_cast<size_t>(std::get<at(field::kSetup)>(key)) << 25U;
  return mixHash(hash, names | static_cast<size_t>(std::get<at(field::kAsync)>(key)) | flags);
}

/// The ranks of a process group wait in each call for the busiest. That may be another one from call to call, so the
/// sums of ranks show the least that the others have less.
uint64_t JobRows::unevenBytes(const Sum& sum) {
  uint64_t uneven = 0;
  for (const auto& [ranks, all] : sum.exchanges) {
    const uint64_t busiest = productSaturating(all.rows, all.most_bytes);
    const bool is_whole = all.rows == ranks->size() && all.count == productSaturating(all.rows, all.most_calls);
    addSaturating(uneven, is_whole ? busiest - std::min(busiest, all.bytes) : 0);
  }
  return uneven;
}

void JobRows::add(const Collective& row, uint32_t group, std::span<const Member> members, Ranks ranks) {
  if (row.issued_in != row.module) { // numbers them before the other texts: see KeyHash
    texts_.id(row.module);
    texts_.id(row.issued_in);
  }
  Sum& sum = rows_.add(numberedKey(row, group, texts_), {row.count, row.bytes, row.bus_bytes});
  for (const std::string& op : row.lowered) {
    const uint32_t id = texts_.id(op);
    if (std::find(sum.lowered.begin(), sum.lowered.end(), id) == sum.lowered.end()) {
      sum.lowered.push_back(id);
    }
  }
  sum.splits += row.splits;
  if (row.kind == Kind::kAllToAll && ranks != nullptr) {
    Exchanges& all = sum.exchanges[ranks];
    uint64_t busier = row.bytes;
    addSaturating(busier, row.splits.received_more);
    ++all.rows;
    addSaturating(all.count, row.count);
    addSaturating(all.bytes, row.bytes);
    all.most_calls = std::max(all.most_calls, row.count);
    all.most_bytes = std::max(all.most_bytes, busier);
  }
  addSaturating(sum.time.count, row.time.timedCount());
  addSaturating(sum.time.running_ns, row.time.of(DurationKind::kRunning).sum_ns);
  addSaturating(sum.time.exposed_ns, row.time.of(DurationKind::kExposed).sum_ns);
  for (const Member& member : members) {
    MemberSum& all = sum.members[texts_.id(member.module)];
    addSaturating(all.bytes, member.bytes);
    addSaturating(all.changes, member.changes);
    if (member.count) {
      addSaturating(all.count ? *all.count : all.count.emplace(0), *member.count);
    }
  }
}

std::vector<JobMember> JobRows::membersOf(const Sum& sum) const {
  std::vector<JobMember> members;
  uint64_t all = 0;
  for (const auto& [module, part] : sum.members) {
    addSaturating(all, part.bytes);
    members.push_back({std::string(texts_.text(module)), part.bytes, part.count, part.changes});
  }
  return all == sum.bytes.sum ? members : std::vector<JobMember>();
}

JobCollective JobRows::collectiveOf(const Key& key, const Rows::Row& row, RankSets& sets) const {
  JobCollective collective;
  setKey(collective, key, [this](auto& member, const auto& part) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::string>) {
      member = texts_.text(part);
    } else {
      member = part;
    }
  });
  for (const uint32_t op : row.sum.lowered) {
    collective.lowered.push_back(texts_.text(op));
  }
  std::sort(collective.lowered.begin(), collective.lowered.end());
  collective.members = membersOf(row.sum);
  collective.rank_set = sets.idOf(row.slots);
  collective.amount = row.sum;
  collective.splits = row.sum.splits;
  collective.uneven_bytes = unevenBytes(row.sum);
  collective.time = row.sum.time;
  return collective;
}

std::vector<JobCollective> JobRows::take(RankSets& sets) const {
  std::vector<JobCollective> collectives;
  collectives.reserve(rows_.rows().size());
  for (const auto& [key, row] : rows_.rows()) {
    collectives.push_back(collectiveOf(key, row, sets));
  }
  return collectives;
}

void JobSteps::add(std::span<const Step> steps, std::span<const uint32_t> groups) {
  const std::vector<StepPlace> places = placesOf(steps);
  size_t nth = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    Coming& coming = coming_[places[i]];
    const bool is_outside = places[i].second == 0;
    if (step.ended_at_ns && *step.ended_at_ns >= step.started_at_ns) {
      const uint64_t duration_ns = *step.ended_at_ns - step.started_at_ns;
      const uint64_t before_ns = coming.duration_ns.value_or(0);
      coming.duration_ns = is_outside ? before_ns + duration_ns : std::max(before_ns, duration_ns);
    }
    addSaturating(coming.steps, is_outside ? step.steps : 0);
    coming.training_steps = std::max(coming.training_steps, step.training_steps.value_or(0));
    addSaturating(coming.forward_passes, step.forward_passes);
    addSaturating(coming.backward_passes, step.backward_passes);
    addSaturating(coming.closure_passes, step.closure_passes);
    for (const StepAmount& amount : step.collectives) {
      ComingAmount& sum = coming.amounts[{amount.kind, groups[nth++]}];
      addSaturating(sum.count, amount.count);
      addSaturating(sum.bytes, amount.bytes);
      addSaturating(sum.running_ns, amount.running_ns);
      addSaturating(sum.exposed_ns, amount.exposed_ns);
    }
  }
}

void JobSteps::endRank(std::optional<int64_t> rank) {
  for (const auto& [steps, coming] : coming_) {
    Row& row = rows_[steps];
    ++row.ranks;
    row.forward_passes = std::max(row.forward_passes, coming.forward_passes);
    row.backward_passes = std::max(row.backward_passes, coming.backward_passes);
    row.closure_passes = std::max(row.closure_passes, coming.closure_passes);
    row.training_steps = std::max(row.training_steps, coming.training_steps);
    row.steps = std::max(row.steps, std::max(steps.second, coming.steps));
    if (coming.duration_ns) {
      addToSpread(row.duration_ns, *coming.duration_ns, rank, row.timed_ranks == 0);
      ++row.timed_ranks;
    }
    for (const auto& [place, amount] : coming.amounts) {
      JobStepAmount& sum = row.amounts[place];
      const bool is_first = sum.ranks++ == 0;
      addToSpread(sum.count, amount.count, rank, is_first);
      addToSpread(sum.bytes, amount.bytes, rank, is_first);
      addToSpread(sum.running_ns, amount.running_ns, rank, is_first);
      addToSpread(sum.exposed_ns, amount.exposed_ns, rank, is_first);
    }
  }
  coming_.clear();
}

void JobSteps::take(JobReport& job) const {
  const bool trains =
      std::any_of(rows_.begin(), rows_.end(), [](const auto& row) { return row.second.training_steps; });
  for (const auto& [key, row] : rows_) {
    JobStep step{key.first, row.steps, row.ranks, row.timed_ranks, row.duration_ns, {}};
    for (const auto& [place, amount] : row.amounts) {
      step.collectives.push_back(amount);
      step.collectives.back().kind = place.first;
      step.collectives.back().group = place.second;
    }
    step.forward_passes = row.forward_passes;
    step.backward_passes = row.backward_passes;
    step.closure_passes = row.closure_passes;
    step.training_steps = row.training_steps > 0 ? std::optional(row.training_steps) : std::nullopt;
    (trains && !step.training_steps ? job.outside_steps : job.steps).push_back(std::move(step));
  }
}

void JobModules::add(const Report& report) {
  ModuleCalls calls = cleanCalls(report);
  tree_.add(report);
  if (coming_.empty()) {
    coming_ = std::move(calls);
    return;
  }
  for (const auto& [name, phases] : calls) {
    auto& sums = coming_[name];
    for (int phase = 0; phase < kPhaseCount; ++phase) {
      addSaturating(sums[phase], phases[phase]);
    }
  }
}

void JobModules::endRank(RankSlot slot, std::optional<int64_t> rank) {
  for (const auto& [name, phases] : coming_) {
    Calls& calls = calls_[name];
    for (int phase = 0; phase < kPhaseCount; ++phase) {
      addToSpread(calls.spreads[phase], phases[phase], rank, !calls.has_rank);
    }
    calls.has_rank = true;
    calls.slots.add(slot);
  }
  coming_.clear();
}

std::vector<JobModule> JobModules::take(const std::vector<JobCollective>& rows, RankSets& sets) {
  for (const JobCollective& row : rows) {
    tree_.own(row.module)[{row.phase, row.kind}] += sumOf(row.amount);
  }
  std::vector<JobModule> modules;
  for (ModuleNode& node : tree_.take()) {
    const Calls& calls = calls_[node.name];
    JobModule& module = modules.emplace_back();
    static_cast<ModuleNode&>(module) = std::move(node);
    module.rank_set = sets.idOf(calls.slots);
    module.calls = calls.spreads;
  }
  return modules;
}

size_t JobGroups::RanksHash::operator()(const std::vector<uint32_t>& ranks) const {
  size_t hash = ranks.size();
  for (const uint32_t rank : ranks) {
    hash = mixHash(hash, rank);
  }
  return hash;
}

uint32_t JobGroups::groupIdOf(Key key, const std::string& desc) {
  const auto [entry, is_new] = groups_.emplace(std::move(key), static_cast<uint32_t>(groups_.size()));
  if (is_new) {
    descs_.push_back(desc);
  }
  return entry->second;
}

uint32_t JobGroups::instanceOf(uint32_t group, uint32_t nth, const std::vector<uint32_t>& ranks) {
  if (!std::is_sorted(ranks.begin(), ranks.end())) {
    std::vector<uint32_t> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    return instanceOf(group, nth, sorted);
  }
  auto& [members, ids] = *ids_.try_emplace(ranks).first; // copies only new keys
  const auto [entry, is_new] = ids.emplace(std::pair(group, nth), static_cast<uint32_t>(instances_.size()));
  if (is_new) {
    instances_.push_back({group, &members});
  }
  return entry->second;
}

GroupPlace JobGroups::placeOf(const Group& group, const GroupIdentity& identity) {
  const bool described = isDescribed(group);
  const uint32_t id = groupIdOf({identity.title, group.backend, group.size}, described ? group.desc : "");
  if (dimensions_.try_emplace(id, group.mesh_dimension).first->second != group.mesh_dimension) {
    dimensions_[id].clear();
  }
  return {id, group.ranks.empty() ? GroupPlace::kUnknown : instanceOf(id, identity.nth, group.ranks)};
}

GroupPlace JobGroups::placeOfUnknown(const std::string& name) {
  return {groupIdOf({name, "", 0}, ""), GroupPlace::kUnknown};
}

std::vector<JobGroup> JobGroups::take() const {
  std::vector<JobGroup> groups(groups_.size());
  std::set<std::string> taken;
  for (const auto& [key, id] : groups_) {
    const auto& [name, backend, size] = key;
    std::string unique = name;
    for (int n = 2; !taken.insert(unique).second; ++n) {
      unique = name + "#" + std::to_string(n);
    }
    const auto dimension = dimensions_.find(id);
    groups[id] = {unique, descs_[id], backend, size, {}, {}, dimension == dimensions_.end() ? "" : dimension->second};
  }
  for (const Instance& instance : instances_) {
    groups[instance.group].members.push_back(*instance.ranks);
  }
  for (JobGroup& group : groups) {
    std::sort(group.members.begin(), group.members.end());
    group.members.erase(std::unique(group.members.begin(), group.members.end()), group.members.end());
  }
  return groups;
}

} // namespace commtap
