// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "report/model/model.h"

namespace commtap {

/// The communication of processes since they started.
struct TrafficSums {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t running_ns = 0;
  double running_bus_bytes = 0;
  uint64_t exposed_ns = 0;
  uint64_t timed = 0; ///< processes that exposed_ns covers

  void add(const TrafficSums& other);
  bool operator==(const TrafficSums&) const = default;
};

/// A row's run, as runName(), and its name. Rows of different runs are never added up.
using TrafficName = std::pair<std::string, std::string>;
using TrafficTable = std::map<TrafficName, TrafficSums>;

struct Traffic {
  TrafficTable by_kind;
  TrafficTable by_group; ///< by title
  TrafficTable by_module;

  void add(const Traffic& other);
  bool operator==(const Traffic&) const = default;
};

Traffic trafficOf(std::span<const std::shared_ptr<const Report>> reports);

/// Returns a name for the run and attempt of a process: "run", "run attempt 2", or "pid 17" without a run ID.
std::string runName(const Job& job);

} // namespace commtap
