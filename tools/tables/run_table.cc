// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tables/run_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/base/checksum.h"
#include "report/base/timestamp.h"
#include "report/json/json_row.h"
#include "report/model/amounts.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

using nlohmann::json;

std::string hashOf(const std::vector<std::string>& argv) {
  Checksum sum;
  for (const std::string& argument : argv) {
    sum.add(argument);
  }
  return fmt::format("{:08x}", sum.value());
}

} // namespace

const std::vector<TableColumn>& RunTable::columns() {
  static const std::vector<TableColumn> kColumns = {
      {"run_id", "VARCHAR", "The run's name."},
      {"attempt", "BIGINT", "How often the launcher had restarted the job."},
      {"commit", "VARCHAR", "What follows the last `@` of the run's name (`COMMTAP_RUN_ID`); null without one."},
      {"config_hash",
       "VARCHAR",
       "A hash of the command line of the lowest rank: equal for equal arguments. Null without a command line."},
      {"world_size", "BIGINT", "The number of ranks in the job; null if not known."},
      {"ranks", "BIGINT", "The ranks whose reports were exported."},
      {"processes", "BIGINT", "The processes whose reports were exported."},
      {"hosts", "BIGINT", "The hosts of these processes."},
      {"torch", "VARCHAR", "PyTorch's version; null if not known."},
      {"commtap", "VARCHAR", "The version of commtap that made the reports."},
      {"started_at", "VARCHAR", "When the first process began to count: UTC."},
      {"ended_at", "VARCHAR", "When the last report was made: UTC; null if one of the processes has no end."},
      {"killed", "BIGINT", "The processes that a signal ended."},
      {"steps", "BIGINT", "The training steps of the rank that ended most."},
      {"collectives", "BIGINT", "The collectives of all processes."},
      {"bytes", "BIGINT", "Their payload."},
      {"bus_bytes", "DOUBLE", "Their payload times the bus bandwidth factor."},
      {"not_seen", "BIGINT", "The sum of the counts in `not_seen`."},
      {"planned", "BOOLEAN", "Whether `commtap plan` made a report of the run."},
      {"failed", "BIGINT", "The processes that exited with another status than 0."},
      {"run_name", "VARCHAR", "The run's name for people (`COMMTAP_NAME`); null without one."},
  };
  return kColumns;
}

void RunTable::add(const Report& report) {
  const Job& job = report.job;
  Run& run = runs_[{job.run_id, job.attempt}];
  run.torch = job.torch_version.empty() ? run.torch : job.torch_version;
  run.commtap = job.commtap_version;
  run.name = job.name.empty() ? run.name : job.name;
  run.world_size = job.world_size ? job.world_size : run.world_size;
  run.hosts.insert(job.host);
  if (job.rank) {
    run.ranks.insert(*job.rank);
  }
  if (!job.argv.empty() && job.rank.value_or(INT64_MAX - 1) < run.config_rank) {
    run.config_rank = job.rank.value_or(INT64_MAX - 1);
    run.config_hash = hashOf(job.argv);
  }
  run.started_at_ns = std::min(run.started_at_ns, job.started_at_ns);
  run.ended_at_ns =
      run.ended_at_ns && job.ended_at_ns ? std::optional(std::max(*run.ended_at_ns, *job.ended_at_ns)) : std::nullopt;
  ++run.processes;
  run.killed += job.exit == ExitKind::kKilled || job.exit == ExitKind::kSignal ? 1 : 0;
  run.failed += job.exit_status.value_or(0) != 0 ? 1 : 0;
  run.steps = std::max(run.steps, stepsOf(report));
  for (const Collective& row : report.collectives) {
    addSaturating(run.collectives, row.count);
    addSaturating(run.bytes, row.bytes);
    run.bus_bytes += row.bus_bytes;
  }
  for (const NotSeenEntry& entry : report.not_seen) {
    addSaturating(run.not_seen, entry.count);
  }
  run.planned = run.planned || job.planned;
}

std::vector<TableCells> RunTable::rows() const {
  std::vector<TableCells> rows;
  for (const auto& [key, run] : runs_) {
    rows.push_back({
        key.first,
        key.second,
        textOrNull(commitOf(key.first)),
        textOrNull(run.config_hash),
        run.world_size ? json(*run.world_size) : json(nullptr),
        run.ranks.size(),
        run.processes,
        run.hosts.size(),
        textOrNull(run.torch),
        run.commtap,
        formatTimestamp(run.started_at_ns),
        run.ended_at_ns ? json(formatTimestamp(*run.ended_at_ns)) : json(nullptr),
        run.killed,
        run.steps,
        run.collectives,
        run.bytes,
        run.bus_bytes,
        run.not_seen,
        run.planned,
        run.failed,
        textOrNull(run.name),
    });
  }
  return rows;
}

std::string commitOf(const std::string& run_id) {
  const size_t at = run_id.rfind('@');
  return at == std::string::npos ? "" : run_id.substr(at + 1);
}

} // namespace commtap
