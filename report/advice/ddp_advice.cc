// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/ddp_advice.h"

#include <algorithm>
#include <limits>
#include <string>

#include "report/model/module_names.h"

namespace commtap {
namespace {

bool isReduction(const JobCollective& row) {
  return row.kind == Kind::kAllReduce && row.phase == Phase::kBackward;
}

/// Returns whether a row is DDP's map of the parameters that a backward used: an int32 for each.
bool isMapOfUsed(const JobCollective& row) {
  return isReduction(row) && row.dtype == "int32";
}

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
  const std::vector<const JobModule*> below = modules.below(row.module);
  const uint64_t forwards = modules.forwards(row.module);
  const bool are_all_called =
      forwards > 0 && std::all_of(below.begin(), below.end(), [&modules, forwards](const JobModule* module) {
        return !modules.isLeaf(module->name) || modules.forwards(module->name) >= forwards;
      });
  if (are_all_called && isOfSteps(row, findings)) {
    findings.add(AdviceRule::kUnusedSought, row);
  }
}

/// Normalization over batches changes its buffers in each forward.
void findBuffers(const JobCollective& row, const ModuleIndex& modules, Findings& findings) {
  const std::vector<const JobModule*> below = modules.below(row.module);
  const bool has_statistics = std::any_of(below.begin(), below.end(), [](const JobModule* module) {
    return module->class_name.find("BatchNorm") != std::string::npos ||
           module->class_name.find("InstanceNorm") != std::string::npos;
  });
  if (!has_statistics && isOfSteps(row, findings)) {
    findings.add(AdviceRule::kBuffersBroadcast, row);
  }
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

uint64_t ModuleIndex::forwards(std::string_view name) const {
  const auto found = modules_.find(name);
  return found == modules_.end() ? 0 : found->second->calls[static_cast<size_t>(Phase::kForward)].sum;
}

std::vector<const JobModule*> ModuleIndex::below(std::string_view name) const {
  const std::string start = std::string(name) + ".";
  std::vector<const JobModule*> below;
  for (const auto& [each, module] : modules_) {
    if (each.starts_with(start)) {
      below.push_back(module);
    }
  }
  return below;
}

void findDdp(const ModuleIndex& modules, Findings& findings) {
  for (const JobCollective& row : findings.job().collectives) {
    if (!modules.isDdp(row.module)) {
      continue;
    }
    if (isMapOfUsed(row)) {
      findMapOfUsed(row, modules, findings);
    } else if (isReduction(row)) {
      findBucketOfOne(row, modules, findings);
    } else if (row.label == "broadcast_buffers") {
      findBuffers(row, modules, findings);
    }
  }
}

} // namespace commtap
