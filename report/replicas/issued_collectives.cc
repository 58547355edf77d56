// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/issued_collectives.h"

namespace commtap {

std::map<GroupKey, std::vector<Issued>> issuedCollectives(const SampledOptimizer& optimizer, const JobFacts& facts) {
  std::map<GroupKey, std::vector<Issued>> issued;
  for (const auto& [rank, samples] : optimizer.samples) {
    for (size_t step = 0; step < samples.size(); ++step) {
      if (samples[step] == nullptr) {
        continue;
      }
      for (const SampledGroup& group : samples[step]->groups) {
        const auto known = facts.groups.find({rank, group.name});
        if (known != facts.groups.end() && known->second.ranks.size() > 1) {
          std::vector<Issued>& of_group = issued[{group.name, known->second}];
          of_group.resize(samples.size());
          of_group[step][rank] = group.collectives;
        }
      }
    }
  }
  return issued;
}

} // namespace commtap
