// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/advice.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "report/job/step_count.h"
#include "report/model/module_names.h"

namespace commtap {
namespace {

/// Below this, a collective's time is mostly its start.
constexpr double kSmallBytes = 64.0 * 1024;
/// Per step, rank, kind, phase and group.
constexpr double kManySmall = 50;
/// The largest rank's bytes of an all_to_all by the smallest rank's.
constexpr double kUnevenRatio = 1.25;

constexpr std::array<AdviceRuleRow, 11> kRules = {{
    {AdviceRule::kDisagreement,
     "ranks_differ",
     "Ranks of one process group made different calls: look at commtap merge first.",
     "docs/merge.md#when-ranks-disagree"},
    {AdviceRule::kSmall,
     "small_collectives",
     "Many small collectives of one kind in one phase and group: reduce or gather several tensors at once, in a bucket "
     "or a larger FSDP unit.",
     "docs/plan.md#advice"},
    {AdviceRule::kGatheredTwice,
     "gathered_twice",
     "The same parameters are gathered in the forward and again in the backward: reshard_after_forward=False keeps "
     "them, "
     "if there is memory for them.",
     "docs/plan.md#advice"},
    {AdviceRule::kWideGradients,
     "wide_gradients",
     "Gradients are reduced in a wider type than their parameters are gathered in: "
     "MixedPrecisionPolicy(reduce_dtype=...) "
     "decides it.",
     "docs/plan.md#advice"},
    {AdviceRule::kRecompute,
     "recomputed",
     "Activation checkpointing repeats collectives: save their results with a selective policy, or checkpoint between "
     "them.",
     "docs/plan.md#advice"},
    {AdviceRule::kUneven,
     "uneven_all_to_all",
     "Ranks exchange unequal amounts, and all wait for the one with the most: balance the experts.",
     "docs/plan.md#advice"},
    {AdviceRule::kNeverUsed,
     "gathered_unused",
     "Parameters are gathered for a module that is never called in a forward: leave it out of the sharded model, or "
     "freeze it elsewhere.",
     "docs/plan.md#advice"},
    {AdviceRule::kBarrier,
     "barrier_in_step",
     "A barrier in every step: all ranks wait for the last; nothing needs it between steps.",
     "docs/plan.md#advice"},
    {AdviceRule::kObjects,
     "objects_in_step",
     "Python objects are sent in every step: each waits for the GPU and is pickled. Send tensors.",
     "docs/plan.md#advice"},
    {AdviceRule::kAcrossHosts,
     "group_across_hosts",
     "A group spans hosts although it would fit into one: order the mesh so that its ranks are neighbours.",
     "docs/plan.md#advice"},
    {AdviceRule::kBucketOfOne,
     "bucket_of_one",
     "One layer fills several of DDP's buckets, so a bucket holds one parameter: raise bucket_cap_mb.",
     "docs/plan.md#advice"},
}};

const AdviceRuleRow* rowOf(AdviceRule rule) {
  return &kRules.at(static_cast<size_t>(rule));
}

/// Numbers per rank and step.
class PerStep {
 public:
  explicit PerStep(const JobReport& job) : steps_(static_cast<double>(std::max<uint64_t>(stepsOf(job), 1))) {}

  double calls(const JobCollective& row) const {
    return mean(row.amount.count.sum, row);
  }
  double bytes(const JobCollective& row) const {
    return mean(row.amount.bytes.sum, row);
  }

 private:
  double mean(uint64_t sum, const JobCollective& row) const {
    return static_cast<double>(sum) / static_cast<double>(std::max<uint64_t>(row.amount.ranks, 1)) / steps_;
  }

  double steps_;
};

/// Collects rows by rule and group.
class Findings {
 public:
  explicit Findings(const JobReport& job) : job_(job), per_step_(job) {}

  /// Adds a row with a share of its calls and bytes at stake.
  void add(AdviceRule rule, const JobCollective& row, double share = 1) {
    Advice& advice = found_[{rule, row.group}];
    advice.rule = rowOf(rule);
    advice.group = job_.groups[row.group].name;
    advice.calls += share * per_step_.calls(row);
    advice.bytes += share * per_step_.bytes(row);
    advice.rows.push_back(&row);
  }
  const PerStep& perStep() const {
    return per_step_;
  }
  const JobReport& job() const {
    return job_;
  }
  std::vector<Advice> take() {
    std::vector<Advice> all;
    for (auto& [key, advice] : found_) {
      all.push_back(std::move(advice));
    }
    return all;
  }

 private:
  const JobReport& job_;
  PerStep per_step_;
  std::map<std::pair<AdviceRule, size_t>, Advice> found_;
};

bool isTraining(Phase phase) {
  return phase != Phase::kOther;
}

void findSmall(Findings& findings) {
  std::map<std::tuple<Kind, Phase, size_t>, std::vector<const JobCollective*>> bins;
  for (const JobCollective& row : findings.job().collectives) {
    const double calls = findings.perStep().calls(row);
    const bool is_small = calls > 0 && findings.perStep().bytes(row) / calls < kSmallBytes;
    if (is_small && isTraining(row.phase) && !isPointToPoint(row.kind) && row.kind != Kind::kBarrier) {
      bins[{row.kind, row.phase, row.group}].push_back(&row);
    }
  }
  for (const auto& [key, rows] : bins) {
    double calls = 0;
    for (const JobCollective* row : rows) {
      calls += findings.perStep().calls(*row);
    }
    for (const JobCollective* row : calls >= kManySmall ? rows : std::vector<const JobCollective*>()) {
      findings.add(AdviceRule::kSmall, *row);
    }
  }
}

/// Finds rows of one module and group that belong together.
void findPairs(Findings& findings) {
  std::map<std::pair<std::string_view, size_t>, std::vector<const JobCollective*>> modules;
  for (const JobCollective& row : findings.job().collectives) {
    modules[{row.module, row.group}].push_back(&row);
  }
  const auto isHalf = [](const std::string& dtype) { return dtype == "bfloat16" || dtype == "float16"; };
  for (const auto& [key, rows] : modules) {
    for (const JobCollective* gather : rows) {
      if (gather->kind != Kind::kAllGather || gather->phase != Phase::kForward) {
        continue;
      }
      for (const JobCollective* other : rows) {
        const bool is_again = other->kind == Kind::kAllGather && other->phase == Phase::kBackward &&
                              other->op == gather->op && other->dtype == gather->dtype &&
                              other->amount.bytes.sum == gather->amount.bytes.sum;
        const bool is_fsdp = std::any_of(rows.begin(), rows.end(), [](const JobCollective* row) {
          return row->kind == Kind::kReduceScatter && row->phase == Phase::kBackward;
        });
        if (is_again && is_fsdp) {
          findings.add(AdviceRule::kGatheredTwice, *other);
        }
        if (other->kind == Kind::kReduceScatter && other->phase == Phase::kBackward && isHalf(gather->dtype) &&
            other->dtype == "float32") {
          findings.add(AdviceRule::kWideGradients, *other, 0.5); // half of the bytes, and no call
        }
      }
    }
  }
}

bool sendsObjects(const JobCollective& row) {
  return row.label.find("object") != std::string::npos;
}

void findSingleRows(Findings& findings) {
  for (const JobCollective& row : findings.job().collectives) {
    const bool in_each_step = findings.perStep().calls(row) >= 1;
    if (row.phase == Phase::kRecompute) {
      findings.add(AdviceRule::kRecompute, row);
    }
    if (row.kind == Kind::kBarrier && in_each_step && stepsOf(findings.job()) > 1) {
      findings.add(AdviceRule::kBarrier, row);
    }
    if (sendsObjects(row) && in_each_step && stepsOf(findings.job()) > 1) {
      findings.add(AdviceRule::kObjects, row);
    }
    const auto& [sum, min, max, min_rank, max_rank] = row.amount.bytes;
    if (row.kind == Kind::kAllToAll && static_cast<double>(max) > kUnevenRatio * static_cast<double>(min)) {
      const auto ranks = static_cast<double>(row.amount.ranks);
      findings.add(AdviceRule::kUneven, row, 1 - static_cast<double>(sum) / ranks / static_cast<double>(max));
    }
  }
}

void findNeverUsed(Findings& findings) {
  std::unordered_map<std::string_view, uint64_t> calls;
  for (const JobModule& module : findings.job().modules) {
    for (const Spread<uint64_t>& spread : module.calls) {
      calls[module.name] += spread.sum;
    }
  }
  for (const JobCollective& row : findings.job().collectives) {
    const auto found = calls.find(row.module);
    const bool is_called = found == calls.end() || found->second > 0 || row.module == kGlobalName;
    if (row.kind == Kind::kAllGather && isTraining(row.phase) && !is_called) {
      findings.add(AdviceRule::kNeverUsed, row);
    }
  }
}

void findAcrossHosts(Findings& findings) {
  std::map<int64_t, std::string_view> hosts;
  std::map<std::string_view, std::set<int64_t>> ranks;
  for (const JobProcess& process : findings.job().processes) {
    if (process.rank) {
      hosts[*process.rank] = process.host;
      ranks[process.host].insert(*process.rank);
    }
  }
  size_t per_host = 0;
  for (const auto& [host, on_it] : ranks) {
    per_host = std::max(per_host, on_it.size());
  }
  std::set<size_t> across;
  for (size_t i = 0; i < findings.job().groups.size(); ++i) {
    for (const std::vector<uint32_t>& members : findings.job().groups[i].members) {
      std::set<std::string_view> used;
      for (const uint32_t rank : members) {
        const auto host = hosts.find(rank);
        used.insert(host == hosts.end() ? std::string_view() : host->second);
      }
      if (used.size() > 1 && members.size() <= per_host) {
        across.insert(i);
      }
    }
  }
  for (const JobCollective& row : findings.job().collectives) {
    if (across.count(row.group) > 0 && isTraining(row.phase)) {
      findings.add(AdviceRule::kAcrossHosts, row);
    }
  }
}

/// The modules of a job by name, and which of them hold others.
class ModuleIndex {
 public:
  explicit ModuleIndex(const JobReport& job) {
    for (const JobModule& module : job.modules) {
      modules_.emplace(module.name, &module);
      if (module.name != kGlobalName) {
        parents_.insert(job.modules[module.parent].name);
      }
    }
  }
  bool isDdp(std::string_view name) const {
    const auto found = modules_.find(name);
    const auto isWrapper = [](const std::string& wrapper) { return wrapper == "DistributedDataParallel"; };
    return found != modules_.end() &&
           std::any_of(found->second->wrappers.begin(), found->second->wrappers.end(), isWrapper);
  }
  bool isLeaf(std::string_view name) const {
    return modules_.count(name) > 0 && parents_.count(name) == 0;
  }
  /// Returns the calls in forwards over all ranks.
  uint64_t forwards(std::string_view name) const {
    const auto found = modules_.find(name);
    return found == modules_.end() ? 0 : found->second->calls[static_cast<size_t>(Phase::kForward)].sum;
  }

 private:
  std::unordered_map<std::string_view, const JobModule*> modules_;
  std::set<std::string_view> parents_;
};

/// DDP fills its buckets with the layers' parameters one after the other. So if a layer fills several in one backward,
/// all but the first hold nothing else.
void findBucketsOfOne(Findings& findings) {
  const ModuleIndex modules(findings.job());
  for (const JobCollective& row : findings.job().collectives) {
    const bool is_bucket = row.kind == Kind::kAllReduce && row.phase == Phase::kBackward && row.issued_in != row.module;
    if (!is_bucket || !modules.isDdp(row.module) || !modules.isLeaf(row.issued_in)) {
      continue;
    }
    const auto buckets = static_cast<double>(row.amount.count.sum);
    const auto backwards = static_cast<double>(modules.forwards(row.module));
    if (backwards > 0 && buckets > backwards) {
      findings.add(AdviceRule::kBucketOfOne, row, 1 - backwards / buckets);
    }
  }
}

} // namespace

std::span<const AdviceRuleRow> adviceRules() {
  return kRules;
}

std::vector<Advice> adviceFor(const JobReport& job) {
  Findings findings(job);
  findSmall(findings);
  findPairs(findings);
  findSingleRows(findings);
  findNeverUsed(findings);
  findBucketsOfOne(findings);
  if (!job.planned) { // all ranks of a plan have one host
    findAcrossHosts(findings);
  }
  std::vector<Advice> all = findings.take();
  if (!seriousDisagreements(job).empty()) {
    all.push_back({rowOf(AdviceRule::kDisagreement), "", 0, 0, {}});
  }
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    const auto key = [](const Advice& advice) {
      return std::tuple(advice.rule->rule != AdviceRule::kDisagreement, -advice.bytes, -advice.calls);
    };
    return key(a) < key(b);
  });
  return all;
}

} // namespace commtap
