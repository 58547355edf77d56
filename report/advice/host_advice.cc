// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/host_advice.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

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

} // namespace commtap
