// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/samples_apart.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace commtap {
namespace {

struct Issued {
  const Sample* sample = nullptr;
  uint64_t collectives = 0;
};

/// A group as one optimizer's samples have it: the collectives by step and rank.
using GroupSamples = std::map<uint64_t, std::map<int64_t, Issued>>;
using GroupKey = std::pair<std::string, NamedGroup>;

std::map<std::pair<uint32_t, GroupKey>, GroupSamples> groupSamples(
    std::span<const ProcessSamples> processes,
    const JobFacts& facts) {
  std::map<std::pair<uint32_t, GroupKey>, GroupSamples> all;
  for (const ProcessSamples& process : processes) {
    const int64_t rank = process.job.rank.value_or(-1);
    for (const Sample& sample : process.samples) {
      for (const SampledGroup& group : sample.groups) {
        const auto known = facts.groups.find({rank, group.name});
        if (known != facts.groups.end() && known->second.ranks.size() > 1) {
          all[{sample.optimizer, {group.name, known->second}}][sample.step][rank] = {&sample, group.collectives};
        }
      }
    }
  }
  return all;
}

/// The samples in which ranks are as far in a group as at first, or not.
struct Moments {
  std::set<const Sample*> together;
  std::set<const Sample*> apart;
};

void addMoments(const GroupSamples& samples, Moments& moments) {
  const int64_t first = samples.begin()->second.begin()->first;
  std::map<int64_t, int64_t> lead_at_first; // by rank
  std::map<int64_t, uint64_t> last;
  for (const auto& [step, ranks] : samples) {
    const auto reference = ranks.find(first);
    for (const auto& [rank, issued] : ranks) {
      const bool is_in_use = issued.collectives > last[rank];
      last[rank] = issued.collectives;
      if (reference == ranks.end() || rank == first) {
        continue;
      }
      const auto lead = static_cast<int64_t>(issued.collectives - reference->second.collectives);
      const bool is_together = lead == lead_at_first.emplace(rank, lead).first->second;
      if (!is_together) {
        moments.apart.insert(issued.sample);
      } else if (is_in_use) {
        moments.together.insert(issued.sample);
      }
    }
  }
}

} // namespace

std::set<const Sample*> samplesApart(std::span<const ProcessSamples> processes, const JobFacts& facts) {
  Moments moments;
  for (const auto& [key, samples] : groupSamples(processes, facts)) {
    addMoments(samples, moments);
  }
  std::erase_if(moments.apart, [&moments](const Sample* sample) { return moments.together.contains(sample); });
  return std::move(moments.apart);
}

} // namespace commtap
