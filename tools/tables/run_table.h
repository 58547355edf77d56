// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/model/model.h"
#include "tools/tables/report_tables.h"

namespace commtap {

/// The table `runs`: one row per run and attempt, summed over the reports that were added.
class RunTable {
 public:
  static constexpr const char* kName = "runs";
  static constexpr const char* kHelp = "One row per run and attempt, over the processes whose reports were exported.";
  static const std::vector<TableColumn>& columns();

  void add(const Report& report);

  /// Returns the rows by run and attempt, with the cells of columns().
  std::vector<TableCells> rows() const;

 private:
  struct Run {
    std::string name;
    std::string torch;
    std::string commtap;
    std::optional<int64_t> world_size;
    std::set<int64_t> ranks;
    std::set<std::string> hosts;
    std::string config_hash;         ///< of the lowest rank that has a command line
    int64_t config_rank = INT64_MAX; ///< that rank
    uint64_t started_at_ns = UINT64_MAX;
    std::optional<uint64_t> ended_at_ns = 0; ///< nullopt once a process without an end was added
    uint64_t processes = 0;
    uint64_t killed = 0;
    uint64_t failed = 0;
    uint64_t steps = 0;
    uint64_t collectives = 0;
    uint64_t bytes = 0;
    double bus_bytes = 0;
    uint64_t not_seen = 0;
    bool planned = false;
  };

  std::map<std::pair<std::string, int64_t>, Run> runs_;
};

/// Returns what follows the last `@` of a run's name, where users write the commit; "" if there is none.
std::string commitOf(const std::string& run_id);

} // namespace commtap
