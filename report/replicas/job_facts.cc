// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/job_facts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "report/model/amounts.h"
#include "report/model/module_tree.h"

namespace commtap {
namespace {

/// Returns whether one of the words of a group's name is in the list: "mesh_tp" has the words mesh and tp.
template <size_t count>
bool hasWord(std::string_view name, const std::array<std::string_view, count>& words) {
  std::string word;
  for (size_t i = 0; i <= name.size(); ++i) {
    const unsigned char letter = i < name.size() ? static_cast<unsigned char>(name[i]) : '_';
    if (std::isalpha(letter) != 0) {
      word += static_cast<char>(std::tolower(letter));
    } else {
      if (std::find(words.begin(), words.end(), word) != words.end()) {
        return true;
      }
      word.clear();
    }
  }
  return false;
}

/// Returns whether the name says that the group is not what tensors are split over. Megatron's
/// EXPERT_TENSOR_PARALLEL_GROUP splits experts only, and its TENSOR_AND_CONTEXT_PARALLEL_GROUP has replicas too.
bool isOtherByName(const std::string& name) {
  return hasWord<11>(
      name, {"data", "dp", "fsdp", "hsdp", "shard", "replicate", "cp", "context", "expert", "ep", "etp"});
}
bool isTensorByName(const std::string& name) {
  return hasWord<2>(name, {"tp", "tensor"}) && !isOtherByName(name);
}

/// Returns whether the row is what tensor parallelism makes of a forward.
bool joinsActivations(const JobCollective& row) {
  return row.phase == Phase::kForward && !row.setup && (isReductionForAll(row.kind) || row.kind == Kind::kAllGather);
}

std::vector<uint64_t> stepsThatReduce(const JobReport& job, size_t group) {
  std::vector<uint64_t> steps;
  for (const JobStep& step : job.steps) {
    if (step.steps == 1 && std::any_of(step.collectives.begin(), step.collectives.end(), [group](const auto& amount) {
          return isReductionForAll(amount.kind) && amount.group == group;
        })) {
      steps.push_back(step.first_step + 1);
    }
  }
  return steps;
}

/// Returns whether the row may be an average of values over ranks, made by any means.
bool mayMix(const JobCollective& row) {
  const bool joins = isReductionForAll(row.kind) || row.kind == Kind::kAllGather || row.kind == Kind::kReduce ||
                     row.kind == Kind::kGather;
  return joins && row.phase != Phase::kBackward && row.phase != Phase::kRecompute && !row.setup && !isMetric(row);
}

void append(std::vector<GroupRanks>& groups, const std::vector<GroupRanks>& more) {
  for (const GroupRanks& group : more) {
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) {
      groups.push_back(group);
    }
  }
}

bool contains(const GroupRanks& group, int64_t rank) {
  return rank >= 0 && std::binary_search(group.begin(), group.end(), static_cast<uint32_t>(rank));
}

bool containsAny(const GroupRanks& group, std::span<const int64_t> ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [&group](int64_t rank) { return contains(group, rank); });
}

/// Returns whether one of the groups has a rank of both.
bool joinsAny(const std::vector<GroupRanks>& groups, std::span<const int64_t> a, std::span<const int64_t> b) {
  return std::any_of(groups.begin(), groups.end(), [&](const GroupRanks& group) {
    return containsAny(group, a) && containsAny(group, b);
  });
}

/// Sorts the groups of which the name does not say what they are for: the smallest first.
void appendUnnamed(std::vector<GroupRanks>& groups, std::vector<GroupRanks> unnamed) {
  std::stable_sort(
      unnamed.begin(), unnamed.end(), [](const GroupRanks& a, const GroupRanks& b) { return a.size() < b.size(); });
  append(groups, unnamed);
}

/// Lists of groups in the order of their first row. There are far fewer groups of a name than rows.
class GroupLists {
 public:
  explicit GroupLists(const JobReport& job) : job_(job) {}

  /// Adds the groups of the row to the list, unless it has them.
  void add(std::vector<GroupRanks>& list, const JobCollective& row) {
    if (added_.emplace(&list, row.group).second) {
      append(list, job_.groups[row.group].members);
    }
  }

 private:
  const JobReport& job_;
  std::set<std::pair<const void*, size_t>> added_; ///< list and place of the group
};

void addForward(const JobCollective& row, GroupLists& lists, JobFacts& facts) {
  if (row.phase != Phase::kForward || row.setup || isMetric(row)) {
    return;
  }
  if (row.kind == Kind::kAllGather) {
    lists.add(facts.gathers, row);
  } else if (isReductionForAll(row.kind) || row.kind == Kind::kAllToAll) {
    lists.add(facts.activations, row);
  }
}

} // namespace

const GroupRanks* JobFacts::tensorGroupOf(int64_t rank) const {
  const auto found = std::find_if(
      tensor_groups.begin(), tensor_groups.end(), [rank](const GroupRanks& group) { return contains(group, rank); });
  return found == tensor_groups.end() ? nullptr : &*found;
}

bool JobFacts::hasMessages(std::span<const int64_t> a, std::span<const int64_t> b) const {
  return joinsAny(messages, a, b);
}

bool JobFacts::mayCommunicate(std::span<const int64_t> a, std::span<const int64_t> b) const {
  return !has_rows || joinsAny(collectives, a, b);
}

bool JobFacts::reducesInStep(std::span<const int64_t> a, std::span<const int64_t> b) const {
  return std::any_of(
      averages.begin(), averages.end(), [&](const AveragedSteps& each) { return joinsAny(each.members, a, b); });
}

std::optional<uint64_t> JobFacts::averageAfter(std::span<const int64_t> a, std::span<const int64_t> b, uint64_t step)
    const {
  std::optional<uint64_t> first;
  for (const AveragedSteps& each : averages) {
    const auto after = std::upper_bound(each.steps.begin(), each.steps.end(), step);
    if (after != each.steps.end() && joinsAny(each.members, a, b)) {
      first = std::min(first.value_or(*after), *after);
    }
  }
  return first;
}

bool JobFacts::mayAverage(std::span<const int64_t> a, std::span<const int64_t> b) const {
  return !has_rows || joinsAny(mixes, a, b);
}

bool JobFacts::reducesInBackward(std::span<const int64_t> a, std::span<const int64_t> b) const {
  return joinsAny(backwards, a, b);
}

bool JobFacts::exchangesInForward(std::span<const int64_t> a, std::span<const int64_t> b) const {
  return !has_rows || joinsAny(activations, a, b) || joinsAny(gathers, a, b) || joinsAny(messages, a, b);
}

bool JobFacts::mayBeMadeEqual(std::span<const int64_t> a, std::span<const int64_t> b) const {
  return !has_rows || reducesInStep(a, b) || joinsAny(refills, a, b);
}

bool JobFacts::hasExchange(std::span<const int64_t> a, std::span<const int64_t> b) const {
  return joinsAny(exchanges, a, b);
}

std::string_view JobFacts::expertsAbove(std::string_view parameter) const {
  std::string_view innermost;
  for (const std::string& module : all_to_all_modules) {
    if (isBelow(parameter, module) && module.size() > innermost.size()) {
      innermost = module;
    }
  }
  return innermost;
}

JobFacts jobFactsOf(const JobReport& job) {
  JobFacts facts;
  std::vector<GroupRanks> unnamed;
  GroupLists lists(job);
  std::set<size_t> averaged;
  for (const JobCollective& row : job.collectives) {
    const JobGroup& group = job.groups[row.group];
    if (isPointToPoint(row.kind)) {
      lists.add(facts.messages, row);
    } else if (!isMetric(row)) {
      lists.add(facts.collectives, row);
    }
    if ((row.kind == Kind::kBroadcast || row.kind == Kind::kAllGather) && !row.setup && !isMetric(row)) {
      lists.add(facts.refills, row);
    }
    if (isReductionForAll(row.kind) && row.phase == Phase::kOptimizer && !isMetric(row)) {
      averaged.insert(row.group);
    }
    if (isReductionForAll(row.kind) && row.phase == Phase::kBackward && !isMetric(row)) {
      lists.add(facts.backwards, row);
    }
    if (mayMix(row)) {
      lists.add(facts.mixes, row);
    }
    addForward(row, lists, facts);
    if (row.kind == Kind::kAllToAll && row.phase == Phase::kForward && row.module != kGlobalName) {
      facts.all_to_all_modules.push_back(row.module);
      lists.add(facts.exchanges, row);
    } else if (joinsActivations(row)) {
      if (isTensorByName(group.name)) {
        lists.add(facts.tensor_groups, row);
      } else if (!isOtherByName(group.name) && !isMetric(row)) {
        lists.add(unnamed, row);
      }
      const bool is_coarse = row.dtype == "bfloat16" || row.dtype == "float16";
      facts.coarse_dtype = is_coarse ? row.dtype : facts.coarse_dtype;
    }
  }
  for (const size_t group : averaged) {
    facts.averages.push_back({job.groups[group].members, stepsThatReduce(job, group)});
  }
  facts.has_rows = !job.collectives.empty();
  appendUnnamed(facts.tensor_groups, std::move(unnamed));
  facts.stopped = stoppedReductions(job);
  facts.one_way = oneWayModules(job);
  facts.lone_reductions = loneReductions(job);
  return facts;
}

void addGroups(JobFacts& facts, const Report& report) {
  if (report.job.rank) {
    for (const Group& group : report.groups) {
      facts.groups[{*report.job.rank, group.name}] = {group.ranks, groupTitle(group)};
      if (!group.mesh_dimension.empty()) {
        facts.mesh_dims.emplace(group.mesh_dimension, static_cast<int64_t>(group.ranks.size()));
      }
      if (!group.mesh_dimension.empty() && group.ranks.size() > 1 && group.collectives + group.point_to_point == 0) {
        facts.idle_dimensions[group.mesh_dimension].insert(group.ranks);
      }
    }
  }
}

bool isMetric(const JobCollective& row) {
  constexpr uint64_t kLargest = 64; // bytes
  return row.amount.bytes.sum <= kLargest * row.amount.count.sum;
}

bool isBelow(std::string_view name, std::string_view module) {
  return name.size() > module.size() && name.starts_with(module) && name[module.size()] == '.';
}

} // namespace commtap
