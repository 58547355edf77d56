// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/traffic.h"

#include "report/model/amounts.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

void addTable(TrafficTable& table, const TrafficTable& other) {
  for (const auto& [name, sums] : other) {
    table[name].add(sums);
  }
}

/// Returns whether the exposed share is known: a sample's share would cover only the sampled calls.
bool isShareKnown(const Report& report, const CollectiveTime& time) {
  return report.job.timing == Timing{1} && time.isKnown();
}

TrafficSums sumsOf(const Report& report, const Collective& row) {
  TrafficSums sums;
  sums.count = row.count;
  sums.bytes = row.bytes;
  sums.running_ns = row.time.of(DurationKind::kRunning).sum_ns;
  sums.running_bus_bytes = row.time.bus_bytes;
  if (isShareKnown(report, row.time)) {
    sums.exposed_ns = row.time.of(DurationKind::kExposed).sum_ns;
    sums.timed = 1;
  }
  return sums;
}

/// Adds a row to the sums of its process: however many rows are timed, it is one process.
void addRow(TrafficTable& table, const TrafficName& name, const TrafficSums& row) {
  TrafficSums& sums = table[name];
  const uint64_t timed = sums.timed | row.timed;
  sums.add(row);
  sums.timed = timed;
}

Traffic trafficOf(const Report& report) {
  Traffic traffic;
  const std::string run = runName(report.job);
  for (const Collective& row : report.collectives) {
    const TrafficSums sums = sumsOf(report, row);
    addRow(traffic.by_kind, {run, std::string(kindName(row.kind))}, sums);
    addRow(traffic.by_group, {run, groupTitle(report, row.group)}, sums);
    addRow(traffic.by_module, {run, row.module}, sums);
  }
  return traffic;
}

} // namespace

void TrafficSums::add(const TrafficSums& other) {
  addSaturating(count, other.count);
  addSaturating(bytes, other.bytes);
  addSaturating(running_ns, other.running_ns);
  running_bus_bytes += other.running_bus_bytes;
  addSaturating(exposed_ns, other.exposed_ns);
  addSaturating(timed, other.timed);
}

void Traffic::add(const Traffic& other) {
  addTable(by_kind, other.by_kind);
  addTable(by_group, other.by_group);
  addTable(by_module, other.by_module);
}

Traffic trafficOf(std::span<const std::shared_ptr<const Report>> reports) {
  Traffic traffic;
  for (const auto& report : reports) {
    traffic.add(trafficOf(*report));
  }
  return traffic;
}

std::string runName(const Job& job) {
  const std::string run = job.run_id.empty() ? "pid " + std::to_string(job.pid) : job.run_id;
  return job.attempt == 0 ? run : run + " attempt " + std::to_string(job.attempt);
}

} // namespace commtap
