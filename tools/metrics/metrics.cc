// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/metrics.h"

#include <array>

#include <fmt/format.h>

namespace commtap {
namespace {

constexpr std::array<MetricRow, kMetricCount> kTable = {{
    {MetricId::kCollectives,
     "commtap_collectives",
     MetricType::kCounter,
     "",
     "run_id attempt rank module phase kind group",
     "Collectives that a rank issued for a module, without those for the modules below it."},
    {MetricId::kPayloadBytes,
     "commtap_payload_bytes",
     MetricType::kCounter,
     "bytes",
     "run_id attempt rank module phase kind group",
     "Payload of these collectives, as nccl-tests counts it."},
    {MetricId::kBusBytes,
     "commtap_bus_bytes",
     MetricType::kCounter,
     "bytes",
     "run_id attempt rank module phase kind group",
     "Payload times the bus bandwidth factor of nccl-tests: what crosses the busiest link."},
    {MetricId::kTimedCollectives,
     "commtap_timed_collectives",
     MetricType::kCounter,
     "",
     "run_id attempt rank kind group",
     "Collectives of which it is known how long they ran. No series without COMMTAP_TIMING."},
    {MetricId::kTimedBusBytes,
     "commtap_timed_bus_bytes",
     MetricType::kCounter,
     "bytes",
     "run_id attempt rank kind group",
     "Bus bytes of these: by commtap_running_seconds_total it is the bus bandwidth."},
    {MetricId::kRunningSeconds,
     "commtap_running_seconds",
     MetricType::kCounter,
     "seconds",
     "run_id attempt rank kind group",
     "How long these ran, waiting for slower ranks included."},
    {MetricId::kBlockedSeconds,
     "commtap_blocked_seconds",
     MetricType::kCounter,
     "seconds",
     "run_id attempt rank kind group",
     "How long threads of the job waited for collectives that were not over. No series without COMMTAP_TIMING."},
    {MetricId::kModuleCalls,
     "commtap_module_calls",
     MetricType::kCounter,
     "",
     "run_id attempt rank module phase",
     "Calls of a module."},
    {MetricId::kNcclCalls,
     "commtap_nccl_calls",
     MetricType::kCounter,
     "",
     "run_id attempt rank function group",
     "Calls to NCCL by its function's name, also those that failed. Those that no collective makes have no group. No "
     "series: NCCL was not called."},
    {MetricId::kNcclFailedCalls,
     "commtap_nccl_failed_calls",
     MetricType::kCounter,
     "",
     "run_id attempt rank function group",
     "Calls of these that NCCL answered with an error."},
    {MetricId::kNcclBytes,
     "commtap_nccl_bytes",
     MetricType::kCounter,
     "bytes",
     "run_id attempt rank function group",
     "Payload of these that did not fail, as nccl-tests counts it."},
    {MetricId::kSteps,
     "commtap_steps",
     MetricType::kCounter,
     "",
     "run_id attempt rank",
     "Training steps that a rank has ended."},
    {MetricId::kLastCollective,
     "commtap_last_collective_time_seconds",
     MetricType::kGauge,
     "seconds",
     "run_id attempt rank",
     "When the rank issued its last collective, in seconds since 1970; none if it has issued none."},
    {MetricId::kNotSeen,
     "commtap_not_seen",
     MetricType::kCounter,
     "",
     "run_id attempt rank reason",
     "What could not be observed, attributed or kept; docs/limits.md tells the reasons. No series: nothing of the "
     "kind."},
    {MetricId::kProcess,
     "commtap_process",
     MetricType::kInfo,
     "",
     "run_id attempt rank host pid torch python commtap",
     "A process whose report or ledger was read."},
    {MetricId::kProcessRunning,
     "commtap_process_running",
     MetricType::kGauge,
     "",
     "run_id attempt rank",
     "Processes of the rank that still run."},
    {MetricId::kProcessExit,
     "commtap_process_exit",
     MetricType::kGauge,
     "",
     "run_id attempt rank exit",
     "Processes of the rank that ended this way: normal, _exit, signal or killed."},
    {MetricId::kProcessStart,
     "commtap_process_start_time_seconds",
     MetricType::kGauge,
     "seconds",
     "run_id attempt rank",
     "When the rank's first process started, in seconds since 1970."},
    {MetricId::kProcessEnd,
     "commtap_process_end_time_seconds",
     MetricType::kGauge,
     "seconds",
     "run_id attempt rank",
     "When the rank's last process ended, in seconds since 1970; none while one runs, or if it is not known."},
    {MetricId::kRanks,
     "commtap_ranks",
     MetricType::kGauge,
     "",
     "run_id attempt",
     "Ranks whose report or ledger was read."},
    {MetricId::kWorldSize,
     "commtap_world_size",
     MetricType::kGauge,
     "",
     "run_id attempt",
     "Ranks that the job has, also those on other nodes."},
    {MetricId::kDisagreements,
     "commtap_disagreements",
     MetricType::kGauge,
     "",
     "run_id attempt what",
     "Places where the ranks that were read did not do the same, as commtap merge tells them (docs/merge.md). No "
     "series: they agree, or some still run."},
    {MetricId::kFoldedLabelSets,
     "commtap_folded_label_sets",
     MetricType::kGauge,
     "",
     "run_id attempt rank",
     "Label sets over the limit, counted as module \"(other)\", function \"(other)\" and group \"(other)\". No series: "
     "none."},
    {MetricId::kUnreadableFiles,
     "commtap_unreadable_files",
     MetricType::kGauge,
     "",
     "",
     "Reports and ledgers that could not be read and are missing in all other numbers."},
    {MetricId::kReadSeconds,
     "commtap_read_duration_seconds",
     MetricType::kGauge,
     "seconds",
     "",
     "How long it took to read the ledgers for this answer. Of commtap serve alone."},
}};

constexpr bool inOrder() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].id) != i) {
      return false;
    }
  }
  return true;
}
static_assert(inOrder(), "a metric's id is its index");

constexpr std::string_view kIntroduction = R"(# Metrics

<!-- Made from the table in tools/metrics/metrics.cc by `./dev docs`. -->

What `commtap export --format openmetrics`, `commtap export --format prometheus` and `commtap serve` say. [How to wire
it](dashboards/README.md): dashboards, rules, and three ways to Prometheus.

)";

constexpr std::string_view kLabels = R"md(
## Labels

- `run_id`, `attempt`, `rank` name who counted, as in [the report](report.md). Processes of one rank are added up. A
  process without a rank has no label `rank`; all of a run's are added up.
- `module`, `phase`, `kind` are those of the report's rows. Numbers are exclusive: a module's do not hold those of the
  modules below it, so a sum over modules is right.
- `group` is the description of the process group (`tp`, `dp_shard`, ...), or its name if it has none: groups of one
  description are one label.
- `function` is what NCCL calls it (`ncclAllReduce`, `ncclGroupEnd`, ...); [NCCL](nccl.md) tells which are counted.
- `torch`, `python` and `commtap` are versions.

## How many series

A rank has at most 500 label sets of `module`, `phase`, `kind` and `group`, as many of `module` and `phase`, and as many
of `function` and `group`; `--max-series` sets another limit. The first ones in the order of the module tree keep their
names; the others are counted as `module="(other)"`, `function="(other)"`, `group="(other)"`, so that sums stay right,
and `commtap_folded_label_sets` says how many there are. `commtap serve` remembers which have their names, so that a
counter never moves to another series while it runs. `--depth 2` makes fewer: the collectives of modules below that
depth count as those of the module above them at that depth, and their calls are left out.

## Two formats

`openmetrics` is OpenMetrics 1.0, with `# UNIT` and `# EOF`. `prometheus` is Prometheus's older text format (0.0.4), which
is what node_exporter's textfile collector reads: there the metadata of a counter has the sample's name. The samples are
the same in both. Neither has timestamps. `commtap serve` gives the scraper the one that it asks for.
)md";

} // namespace

std::string MetricRow::sampleName() const {
  constexpr std::array<std::string_view, 3> kSuffixes = {"_total", "", "_info"};
  return std::string(name) + std::string(kSuffixes[static_cast<size_t>(type)]);
}

std::span<const MetricRow> metricTable() {
  return kTable;
}

const MetricRow& metricRow(MetricId id) {
  return kTable[static_cast<size_t>(id)];
}

std::string_view metricTypeName(MetricType type) {
  constexpr std::array<std::string_view, 3> kNames = {"counter", "gauge", "info"};
  return kNames[static_cast<size_t>(type)];
}

std::string metricsPage() {
  std::string page(kIntroduction);
  page += "| sample | type | labels | what it is |\n|---|---|---|---|\n";
  for (const MetricRow& row : kTable) {
    std::string labels(row.labels);
    for (size_t space = labels.find(' '); space != std::string::npos; space = labels.find(' ', space + 1)) {
      labels.replace(space, 1, ", ");
      ++space;
    }
    page += fmt::format("| `{}` | {} | {} | {} |\n", row.sampleName(), metricTypeName(row.type), labels, row.help);
  }
  return page.append(kLabels);
}

} // namespace commtap
