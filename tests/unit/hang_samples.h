// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "report/hang/hang_groups.h"
#include "report/model/model.h"

namespace commtap {

/// A job whose ranks issue calls as a test says. The clock adds a second with each call.
class HangJob {
 public:
  static constexpr uint64_t kSecond = 1'000'000'000;

  /// All ranks are members of "world".
  explicit HangJob(uint32_t ranks);

  /// Adds a group to its members.
  void addGroup(const std::string& name, std::vector<uint32_t> ranks);
  /// Issues the next collective of the group on a rank, and returns it.
  LastCollective& issue(int64_t rank, Kind kind, const std::string& module, const std::string& group = "world");
  /// Issues it on all ranks of the job.
  void issueOnAll(Kind kind, const std::string& module);
  /// Issues a send or receive. `peer` is the rank in the group.
  LastCollective& message(int64_t rank, Kind kind, int64_t peer, const std::string& group = "world");

  /// Ends the rank's process so many seconds after the last call. A killed process without a signal has no time.
  void end(int64_t rank, ExitKind how, std::optional<int64_t> signal, uint64_t seconds);
  /// Has the rank's process exit by itself.
  void exit(int64_t rank, int64_t status, uint64_t seconds);

  /// Removes the rank: it has no report.
  void remove(int64_t rank);
  Report& report(int64_t rank) {
    return sight(rank).second;
  }
  ProcessLook& look(int64_t rank) {
    return sight(rank).first;
  }
  std::vector<RankSight> sights() const;
  /// Returns the time of the last call, and so many seconds.
  uint64_t after(uint64_t seconds) const {
    return now_ns_ + seconds * kSecond;
  }

 private:
  using Sight = std::pair<ProcessLook, Report>;

  Sight& sight(int64_t rank);
  LastCollective& add(int64_t rank, LastCollective call);

  std::deque<Sight> sights_;
  uint64_t now_ns_ = 1'000 * kSecond;
};

/// Returns a job whose rank `late` has not come to the second collective.
HangJob lateJob(uint32_t ranks, int64_t late);

} // namespace commtap
