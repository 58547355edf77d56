// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/base/result.h"
#include "tools/cli/host_port.h"
#include "tools/hosts/host_document.h"
#include "tools/http/http_client.h"
#include "tools/live/job_look.h"

namespace commtap {

inline constexpr uint16_t kDefaultServePort = 9464;

/// Returns whether `text` is meant as a list of hosts and not as a path: it names no file, and has "HOST:PORT" first.
bool isHostList(const std::string& text);

/// Parses "HOST:PORT,HOST:PORT"; removes repeated ones.
Result<std::vector<HostPort>> hostsFromList(std::string_view text);

/// Expands a node list of Slurm, such as "gpu[001-003,7],login": ranges keep their leading zeros.
/// Source of the syntax: the manual page of `scontrol show hostnames`. At most 65,536 nodes.
Result<std::vector<HostPort>> hostsFromNodeList(std::string_view text, uint16_t port);

/// Returns the addresses that the name system has for `name`, as for a headless service of Kubernetes.
/// Waits at most 5 s for it.
Result<std::vector<HostPort>> hostsFromName(const std::string& name, uint16_t port);

/// The time and the bytes that the answers of all hosts may take together. Threads may share it.
class HostsBudget {
 public:
  HostsBudget(std::chrono::seconds time, uint64_t bytes) : time_(time), bytes_(bytes) {}

  /// Reads a page as readPage() does. Returns "", or why it is not read.
  std::string read(const GetTarget& target, const HttpLimits& limits, const BodySink& sink);

 private:
  using Clock = std::chrono::steady_clock;

  std::chrono::seconds time_;
  uint64_t bytes_;
  Clock::time_point until_ = Clock::now() + time_;
  std::atomic<uint64_t> taken_ = 0; ///< bytes
};

/// Calls work(worker state, index) for each index below `count`, in up to `kMostAtOnce` threads. Most of the work waits
/// for other machines.
template <typename State, typename Work>
void forEachHost(size_t count, const Work& work) {
  constexpr size_t kMostAtOnce = 64;
  std::atomic<size_t> next = 0;
  const auto run = [&next, count, &work] {
    State state;
    for (size_t index = next++; index < count; index = next++) {
      work(state, index);
    }
  };
  std::vector<std::future<void>> workers;
  for (size_t i = 0; i < std::min(count, kMostAtOnce); ++i) {
    workers.push_back(std::async(std::launch::async, run));
  }
  for (std::future<void>& worker : workers) {
    worker.get();
  }
}

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
