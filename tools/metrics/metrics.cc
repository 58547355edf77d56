// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/metrics.h"

#include <array>

#include <fmt/format.h>

namespace commtap {
namespace {

// The labels of what is counted by row of the report.
constexpr std::string_view kRowLabels = "run_id attempt rank module phase kind group";

constexpr std::array<MetricRow, kMetricCount> kTable = [] {
  using enum MetricId;
  using enum MetricType;
  return std::array<MetricRow, kMetricCount>{{
      {{kCollectives, "commtap_collectives", kCounter, "", kRowLabels},
       "Collectives attributed to a module, without those of its children."},
      {{kPayloadBytes, "commtap_payload_bytes", kCounter, "bytes", kRowLabels},
       "Payload of the collectives attributed to a module, as nccl-tests counts it."},
      {{kBusBytes, "commtap_bus_bytes", kCounter, "bytes", kRowLabels},
       "Payload times the bus bandwidth factor of nccl-tests: the bytes that cross the busiest link."},
      {{kTimedCollectives, "commtap_timed_collectives", kCounter, "", "run_id attempt rank kind group"},
       "Collectives with a known running time. No series without COMMTAP_TIMING."},
      {{kTimedBusBytes, "commtap_timed_bus_bytes", kCounter, "bytes", "run_id attempt rank kind group"},
       "Bus bytes of the timed collectives. Divided by commtap_running_seconds_total, it is the bus bandwidth."},
      {{kRunningSeconds, "commtap_running_seconds", kCounter, "seconds", "run_id attempt rank kind group"},
       "Running time of the timed collectives, including the wait for slower ranks."},
      {{kExposedSeconds, "commtap_exposed_seconds", kCounter, "seconds", "run_id attempt rank kind group"},
       "Time that the job stood still because a collective had not completed. No series without COMMTAP_TIMING."},
      {{kSplitCollectives, "commtap_split_collectives", kCounter, "", kRowLabels},
       "Collectives that were called with split sizes (commtap help report). No series of other collectives."},
      {{kSplitImbalance, "commtap_split_imbalance", kCounter, "", kRowLabels},
       "The sum of their imbalances: of each, the largest part over the mean part. Divided by "
       "commtap_split_collectives_total, it is the mean."},
      {{kSplitImbalanceMax, "commtap_split_imbalance_max_ratio", kGauge, "ratio", kRowLabels},
       "The largest of their imbalances."},
      {{kModuleCalls, "commtap_module_calls", kCounter, "", "run_id attempt rank module phase"}, "Calls of a module."},
      {{kNcclCalls, "commtap_nccl_calls", kCounter, "", "run_id attempt rank function group"},
       "NCCL calls by function, including failed calls. Calls that no collective makes have no group. No series if "
       "NCCL was not called."},
      {{kNcclFailedCalls, "commtap_nccl_failed_calls", kCounter, "", "run_id attempt rank function group"},
       "NCCL calls that returned an error."},
      {{kNcclBytes, "commtap_nccl_bytes", kCounter, "bytes", "run_id attempt rank function group"},
       "Payload of the NCCL calls that did not fail, as nccl-tests counts it."},
      {{kSteps, "commtap_steps", kCounter, "", "run_id attempt rank"}, "Training steps that a rank has completed."},
      {{kStepChanges, "commtap_step_changes", kCounter, "", "run_id attempt rank what"},
       "Sudden changes of a rank's steps, of their time, bytes or collectives, since commtap serve has watched the job "
       "(commtap help steps). Only from commtap serve."},
      {{kStepChangeRatio, "commtap_step_change_ratio", kGauge, "ratio", "run_id attempt rank what"},
       "The value after the last sudden change, divided by the value before. No series before the first. Only from "
       "commtap serve."},
      {{kLateRankWaitRatio, "commtap_late_rank_wait_ratio", kGauge, "ratio", "run_id attempt rank group"},
       "The share of a step for which others wait for a rank that comes late; the group where it is most (commtap "
       "help steps). No series of other ranks. Only from commtap serve."},
      {{kHangStatus, "commtap_hang_status", kGauge, "", "run_id attempt status"},
       "1 for the status that commtap why would give for the ranks of this host (commtap help hangs), 0 for the "
       "others. Only from commtap serve."},
      {{kHangCause, "commtap_hang_cause", kInfo, "", "run_id attempt rank reason group module"},
       "A rank that is the cause of a hang, with the collective's group and module; at most 16. No series if the job "
       "does not hang. Only from commtap serve."},
      {{kVerifyStatus, "commtap_verify_status", kGauge, "", "run_id attempt status"},
       "1 for the status that commtap verify would give for the samples of this folder (commtap help verify), 0 for "
       "the others. No series without samples. Only from commtap serve."},
      {{kLastCollective, "commtap_last_collective_time_seconds", kGauge, "seconds", "run_id attempt rank"},
       "Time of the rank's last collective, in seconds since 1970. No series if the rank has issued none."},
      {{kNotSeen, "commtap_not_seen", kCounter, "", "run_id attempt rank reason"},
       "Cases that could not be observed, attributed or stored, by reason (commtap help report). No series if there "
       "are none."},
      {{kProcess, "commtap_process", kInfo, "", "run_id attempt rank host pid torch python commtap"},
       "A process whose report or ledger was read."},
      {{kProcessRunning, "commtap_process_running", kGauge, "", "run_id attempt rank"},
       "Processes of the rank that are still running."},
      {{kProcessExit, "commtap_process_exit", kGauge, "", "run_id attempt rank exit exit_status exit_signal"},
       "Processes of the rank that ended this way: exit, exit_status and exit_signal as in their reports (commtap help "
       "report). A label is absent if the field is null; killed with an exit_signal: its launcher ended it."},
      {{kProcessStart, "commtap_process_start_time_seconds", kGauge, "seconds", "run_id attempt rank"},
       "Start time of the rank's first process, in seconds since 1970."},
      {{kProcessEnd, "commtap_process_end_time_seconds", kGauge, "seconds", "run_id attempt rank"},
       "End time of the rank's last process, in seconds since 1970. No series while one is running, or if unknown."},
      {{kRanks, "commtap_ranks", kGauge, "", "run_id attempt"}, "Ranks whose report or ledger was read."},
      {{kWorldSize, "commtap_world_size", kGauge, "", "run_id attempt"},
       "Number of ranks of the job, including ranks on other nodes."},
      {{kDisagreements, "commtap_disagreements", kGauge, "", "run_id attempt what"},
       "Disagreements between the ranks whose reports were read, as in commtap show --ranks (commtap help ranks). No "
       "series "
       "if they agree, or while some are running."},
      {{kFoldedLabelSets, "commtap_folded_label_sets", kGauge, "", "run_id attempt rank"},
       "Label sets over the limit, counted as module \"(other)\", function \"(other)\" and group \"(other)\". No "
       "series if there are none."},
      {{kUnreadableFiles, "commtap_unreadable_files", kGauge, "", ""},
       "Reports and ledgers that could not be read. All other numbers lack them."},
      {{kReadSeconds, "commtap_read_duration_seconds", kGauge, "seconds", ""},
       "Time to read the ledgers for this answer. Only from commtap serve."},
  }};
}();

constexpr bool inOrder() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].id) != i) {
      return false;
    }
  }
  return true;
}
static_assert(inOrder(), "a metric's id is its index");

constexpr std::string_view kMetricsIntroduction = R"(# Metrics

<!-- Generated by `./dev docs` from the table in tools/metrics/metrics.cc. -->

The metrics of `commtap export --format openmetrics`, `commtap export --format prometheus` and `commtap serve`.
[Dashboards](dashboards/README.md) has dashboards, alert rules, and three ways to get the metrics into Prometheus.

)";

constexpr std::string_view kLabels = R"md(
## Labels

- `run_id`, `attempt` and `rank` identify the counting processes, as in [the report](report.md). The processes of one
  rank are summed. Processes without a rank have no label `rank`; those of one run are summed.
- `module`, `phase` and `kind` are those of the report's rows. Numbers are exclusive: a module's numbers do not include
  its children, so a sum over modules counts each collective once.
- `group` is the description of the process group (`tp`, `dp_shard`, ...), or its name if it has none. Groups with the
  same description share a label.
- `function` is the name of the NCCL function (`ncclAllReduce`, `ncclGroupEnd`, ...); [NCCL](nccl.md) lists the counted
  functions.
- `torch`, `python` and `commtap` are versions.

## How many series

A rank has at most 500 label sets of `module`, `phase`, `kind` and `group`, 500 of `module` and `phase`, and 500 of
`function` and `group`. `--max-series` sets another limit. The first label sets in the order of the module tree keep
their names. The others count as `module="(other)"`, `function="(other)"` and `group="(other)"`, so sums stay correct;
`commtap_folded_label_sets` is their number. `commtap serve` remembers which label sets keep their names: while it runs,
a counter never moves to another series. A scrape takes about 7 KiB of memory per label set (100,000 label sets took
711 MiB and up to 6 s): the default bounds that, so raise it with care. `--depth 2` reduces the number of series:
collectives of deeper modules count for their ancestor at that depth, and the calls of deeper modules are left out.

## Two formats

`openmetrics` is OpenMetrics 1.0, with `# UNIT` and `# EOF`. `prometheus` is Prometheus's older text format (0.0.4), for
node_exporter's textfile collector; there the metadata of a counter has the name of the sample. Both formats have the
same samples and no timestamps. `commtap serve` answers with the format that the scraper requests.
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
  constexpr std::array<std::string_view, 3> kTypeNames = {"counter", "gauge", "info"};
  return kTypeNames[static_cast<size_t>(type)];
}

std::string metricsPage() {
  std::string page(kMetricsIntroduction);
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
