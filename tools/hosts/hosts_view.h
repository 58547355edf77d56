// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/hosts/host_document.h"
#include "tools/hosts/host_list.h"
#include "tools/hosts/hosts_budget.h"
#include "tools/http/http_get.h"
#include "tools/live/job_look.h"
#include "tools/live/traffic.h"

namespace commtap {

/// The jobs on several hosts, without a folder that they share: each host's `commtap serve` is asked. A host that does
/// not answer in time is a line of `problems`, and the others are not kept waiting for it.
class HostsView {
 public:
  /// `token`: "" for none.
  HostsView(std::vector<HostPort> hosts, std::string token, HttpLimits limits = {})
      : hosts_(std::move(hosts)), token_(std::move(token)), limits_(limits) {}

  struct Seen {
    JobLook look;
    Traffic traffic;
  };
  /// Asks all hosts, many at a time, within one budget.
  Seen ask(const HostQuestion& question);

  /// Asks again the hosts of the look's processes with these ranks, and puts the rows of collectives into their
  /// reports. Returns whether there are any.
  bool addRows(const std::vector<int64_t>& ranks, JobLook& look) const;

  /// Returns HOST:PORT of each host.
  std::vector<std::string> names() const;

  /// Returns the folder in `folder` for the reports of the host with this index.
  static std::string folderOf(const std::string& folder, size_t host);

  /// Writes the complete reports of all hosts to files in folderOf() each. Returns a line for each host that is
  /// missing.
  std::vector<std::string> download(const std::string& folder) const;

 private:
  GetTarget targetOf(const HostPort& host, std::string path) const {
    return {host, std::move(path), token_};
  }

  Result<HostDocument>
  answerOf(size_t place, const HostQuestion& question, HostsBudget& budget, FastReportReader& reader) const;
  void add(HostDocument& document, size_t place, Seen& seen);
  std::set<size_t> placesOf(const std::vector<int64_t>& ranks, const JobLook& look) const;

  std::vector<HostPort> hosts_;
  std::string token_;
  HttpLimits limits_;
  std::map<ProcessKey, size_t> places_; ///< index in `hosts_` of each process of the last answers
};

} // namespace commtap
