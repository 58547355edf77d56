// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/samples_apart.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "report/replicas/issued_collectives.h"

namespace commtap {
namespace {

/// The samples in which ranks are as far in a group as at first, or not.
struct Moments {
  std::set<const Sample*> together;
  std::set<const Sample*> apart;
};

void addMoments(const std::vector<Issued>& issued, const SampledOptimizer& optimizer, Moments& moments) {
  const auto sampled = std::find_if(issued.begin(), issued.end(), [](const Issued& ranks) { return !ranks.empty(); });
  const int64_t first = sampled->begin()->first;
  std::map<int64_t, int64_t> lead_at_first; // by rank
  Issued last;
  for (size_t step = 0; step < issued.size(); ++step) {
    const auto reference = issued[step].find(first);
    for (const auto& [rank, count] : issued[step]) {
      const bool is_in_use = count > last[rank];
      last[rank] = count;
      if (reference == issued[step].end() || rank == first) {
        continue;
      }
      const auto lead = static_cast<int64_t>(count - reference->second);
      const bool is_together = lead == lead_at_first.emplace(rank, lead).first->second;
      const Sample* sample = optimizer.samples.at(rank)[step];
      if (!is_together) {
        moments.apart.insert(sample);
      } else if (is_in_use) {
        moments.together.insert(sample);
      }
    }
  }
}

} // namespace

std::set<const Sample*> samplesApart(const ParameterTracks& tracks, const JobFacts& facts) {
  Moments moments;
  for (const auto& [number, optimizer] : tracks.optimizers()) {
    for (const auto& [group, issued] : issuedCollectives(optimizer, facts)) {
      addMoments(issued, optimizer, moments);
    }
  }
  std::erase_if(moments.apart, [&moments](const Sample* sample) { return moments.together.contains(sample); });
  return std::move(moments.apart);
}

} // namespace commtap
