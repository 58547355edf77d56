// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/model/module_tree.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

/// The hosts of a job's ranks.
class Hosts {
 public:
  explicit Hosts(const JobReport& job) {
    std::map<std::string_view, std::set<int64_t>> ranks;
    for (const JobProcess& process : job.processes) {
      if (process.rank) {
        hosts_[*process.rank] = process.host;
        ranks[process.host].insert(*process.rank);
      }
    }
    for (const auto& [host, on_it] : ranks) {
      per_host_ = std::max(per_host_, on_it.size());
    }
  }
  bool fits(const std::vector<uint32_t>& members) const {
    return members.size() <= per_host_;
  }
  bool spans(const std::vector<uint32_t>& members) const {
    std::set<std::string_view> used;
    for (const uint32_t rank : members) {
      const auto host = hosts_.find(rank);
      used.insert(host == hosts_.end() ? std::string_view() : host->second);
    }
    return used.size() > 1;
  }

 private:
  std::map<int64_t, std::string_view> hosts_; ///< by rank
  size_t per_host_ = 0;                       ///< ranks on the host that has most
};

/// Returns a group's bytes in training steps, over all ranks.
uint64_t bytesOf(const JobGroup& group) {
  uint64_t bytes = 0;
  for (const auto& [key, amount] : group.totals) {
    bytes += key.phase != Phase::kOther ? amount.bytes : 0;
  }
  return bytes;
}

} // namespace

void findAcrossHosts(Findings& findings) {
  const JobReport& job = findings.job();
  const Hosts hosts(job);
  std::set<size_t> across;
  uint64_t most_inside = 0;
  for (size_t i = 0; i < job.groups.size(); ++i) {
    const std::vector<std::vector<uint32_t>>& all = job.groups[i].members;
    const bool spans = std::any_of(
        all.begin(), all.end(), [&hosts](const auto& members) { return hosts.spans(members) && hosts.fits(members); });
    if (spans) {
      across.insert(i);
    } else if (std::none_of(all.begin(), all.end(), [&hosts](const auto& members) { return hosts.spans(members); })) {
      most_inside = std::max(most_inside, bytesOf(job.groups[i]));
    }
  }
  for (const JobCollective& row : job.collectives) {
    const bool is_across = across.count(row.group) > 0 && bytesOf(job.groups[row.group]) > most_inside;
    if (is_across && isTraining(row)) {
      findings.add(AdviceRule::kAcrossHosts, row);
    }
  }
}

namespace {

/// The op by which DTensor reduces a Partial tensor that an op needs whole.
constexpr std::string_view kAllReduce = "_c10d_functional.all_reduce";

bool clips(const JobCollective& row) {
  return row.op == kAllReduce && row.phase == Phase::kOther && row.label == "clip_grad_norm_" && !areNumbers(row);
}

bool isOptimizers(const JobCollective& row) {
  return row.op == kAllReduce && row.phase == Phase::kOptimizer;
}

/// Returns whether the optimizer's row has the tensors of the clipping's: equal ones on average, at least as often.
bool repeats(const JobCollective& optimizer, const JobCollective& clipping) {
  const RankedAmount& again = optimizer.amount;
  const RankedAmount& first = clipping.amount;
  return optimizer.group == clipping.group && optimizer.dtype == clipping.dtype && again.ranks == first.ranks &&
         again.count.sum >= first.count.sum && again.count.sum % first.count.sum == 0 &&
         again.bytes.sum == again.count.sum / first.count.sum * first.bytes.sum;
}

} // namespace

void findDtensors(Findings& findings) {
  std::vector<const JobCollective*> clippings;
  for (const JobCollective& row : findings.job().collectives) {
    if (clips(row)) {
      clippings.push_back(&row);
    }
  }
  for (const JobCollective& row : findings.job().collectives) {
    if (row.kind == Kind::kAllGather && row.label == "full_tensor" && findings.callsInEveryStep(row) >= 2) {
      findings.add(AdviceRule::kFullTensor, row);
    }
    const auto isAgain = [&row](const JobCollective* clipping) { return repeats(row, *clipping); };
    if (isOptimizers(row) && std::any_of(clippings.begin(), clippings.end(), isAgain)) {
      findings.add(AdviceRule::kReducedAgain, row);
    }
  }
}

namespace {

bool isReduction(const JobCollective& row) {
  return row.kind == Kind::kAllReduce && row.phase == Phase::kBackward;
}

/// Returns whether a row is DDP's map of the parameters that a backward used: an int32 for each.
bool isMapOfUsed(const JobCollective& row) {
  return isReduction(row) && row.dtype == "int32";
}

/// The label of DDP's broadcasts in forwards.
constexpr std::string_view kBroadcastBuffers = "broadcast_buffers";

/// Returns whether each rank made at least as many calls of a row as there are training steps.
bool isOfSteps(const JobCollective& row, const Findings& findings) {
  const auto calls = static_cast<double>(row.amount.count.sum) / static_cast<double>(row.amount.ranks);
  return findings.trainingSteps() > 1 && calls >= static_cast<double>(findings.trainingSteps());
}

/// Returns the most backwards that the ranks of a row may have made; UINT64_MAX if steps do not say.
uint64_t backwardsOf(const JobCollective& row, const Findings& findings) {
  const uint64_t passes = findings.backwardPasses();
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  return passes == 0 || passes > most / std::max<uint64_t>(row.amount.ranks, 1) ? most : passes * row.amount.ranks;
}

/// The rows by which DDP reduces a model's gradients of one type, and the bytes of that type that it broadcast when it
/// was made: those of all parameters, also frozen ones, and of the buffers that it broadcasts in forwards.
struct Replica {
  uint64_t made = 0;
  uint64_t buffers = 0; ///< those or a part of them
  std::vector<const JobCollective*> reduced;
};

/// Beyond the bytes of all parameters, a step reduces only gradients that it has reduced before.
void findReducedEachBackward(const ModuleIndex& modules, Findings& findings) {
  constexpr double kLeastRatio = 1.5;
  std::map<std::tuple<std::string_view, size_t, std::string_view>, Replica> replicas;
  for (const JobCollective& row : findings.job().collectives) {
    if (modules.isDdp(row.module) && (isReduction(row) || row.kind == Kind::kBroadcast)) {
      Replica& replica = replicas[{row.module, row.group, row.dtype}];
      if (isReduction(row)) {
        replica.reduced.push_back(&row);
      } else if (row.phase == Phase::kOther) {
        addSaturating(replica.made, row.amount.bytes.sum);
      } else if (row.label == kBroadcastBuffers) {
        replica.buffers = row.amount.bytes.sum / std::max<uint64_t>(row.amount.count.sum, 1) * row.amount.ranks;
      }
    }
  }
  for (const auto& [key, replica] : replicas) {
    double reduced = 0;
    for (const JobCollective* row : replica.reduced) {
      reduced += static_cast<double>(row->amount.bytes.sum);
    }
    const uint64_t parameters = replica.made - std::min(replica.made, replica.buffers);
    const double once = static_cast<double>(parameters) * static_cast<double>(findings.trainingSteps());
    if (once > 0 && reduced >= kLeastRatio * once && findings.hasMicroBatches()) {
      for (const JobCollective* row : replica.reduced) {
        findings.add(AdviceRule::kReducedEachBackwardDdp, *row, {1 - once / reduced, 1 - once / reduced});
      }
    }
  }
}

/// DDP fills its buckets with the layers' parameters one after the other. So if a layer fills several in one backward,
/// all but the first hold nothing else.
void findBucketOfOne(const JobCollective& row, const ModuleIndex& modules, Findings& findings) {
  if (row.issued_in == row.module || !modules.isLeaf(row.issued_in)) {
    return;
  }
  const auto buckets = static_cast<double>(row.amount.count.sum);
  const auto backwards = static_cast<double>(std::min(modules.forwards(row.module), backwardsOf(row, findings)));
  if (backwards > 0 && buckets > backwards) {
    findings.add(AdviceRule::kBucketOfOne, row, {1 - backwards / buckets, 0});
  }
}

/// Every module without modules below it was called in every forward, so parameters without a gradient are unlikely. A
/// static graph reduces the map once.
void findMapOfUsed(const JobCollective& row, const ModuleIndex& modules, Findings& findings) {
  const std::vector<JobModule>& all = findings.job().modules;
  const uint64_t forwards = modules.forwards(row.module);
  const auto isCalled = [&modules, forwards, start = row.module + "."](const JobModule& module) {
    return !module.name.starts_with(start) || !modules.isLeaf(module.name) || modules.forwards(module.name) >= forwards;
  };
  if (forwards > 0 && std::all_of(all.begin(), all.end(), isCalled) && isOfSteps(row, findings)) {
    findings.add(AdviceRule::kUnusedSought, row);
  }
}

/// Returns whether no buffer of a DDP module was found changed, on all ranks.
bool hasConstantBuffers(std::string_view ddp, const JobReport& job) {
  const auto isConstant = [](const JobMember& member) { return member.changes == 0; };
  return job.missing.empty() && std::all_of(job.collectives.begin(), job.collectives.end(), [&](const auto& row) {
           return row.module != ddp || row.label != kBroadcastBuffers ||
                  (!row.members.empty() && std::all_of(row.members.begin(), row.members.end(), isConstant));
         });
}

} // namespace

ModuleIndex::ModuleIndex(const JobReport& job) {
  for (const JobModule& module : job.modules) {
    modules_.emplace(module.name, &module);
    if (module.name != kGlobalName) {
      parents_.insert(job.modules[module.parent].name);
    }
  }
}

bool ModuleIndex::isDdp(std::string_view name) const {
  const auto found = modules_.find(name);
  const auto isWrapper = [](const std::string& wrapper) { return wrapper == "DistributedDataParallel"; };
  return found != modules_.end() &&
         std::any_of(found->second->wrappers.begin(), found->second->wrappers.end(), isWrapper);
}

bool ModuleIndex::isLeaf(std::string_view name) const {
  return modules_.contains(name) && !parents_.contains(name);
}

bool ModuleIndex::isNeverCalled(std::string_view name) const {
  const auto found = modules_.find(name);
  const auto isNone = [](const Spread<uint64_t>& calls) { return calls.sum == 0; };
  return found != modules_.end() && std::all_of(found->second->calls.begin(), found->second->calls.end(), isNone);
}

uint64_t ModuleIndex::forwards(std::string_view name) const {
  const auto found = modules_.find(name);
  return found == modules_.end() ? 0 : found->second->calls[static_cast<size_t>(Phase::kForward)].sum;
}

void findDdp(const ModuleIndex& modules, Findings& findings) {
  findReducedEachBackward(modules, findings);
  for (const JobCollective& row : findings.job().collectives) {
    if (!modules.isDdp(row.module)) {
      continue;
    }
    if (isMapOfUsed(row)) {
      findMapOfUsed(row, modules, findings);
    } else if (isReduction(row)) {
      findBucketOfOne(row, modules, findings);
    } else if (
        row.label == kBroadcastBuffers && isOfSteps(row, findings) && hasConstantBuffers(row.module, findings.job())) {
      findings.add(AdviceRule::kBuffersBroadcast, row);
    }
  }
}

} // namespace commtap
