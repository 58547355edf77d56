// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_reader.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "report/base/json_text.h"
#include "report/base/process.h"
#include "report/ledger_reader/ledger_reading.h"
#include "report/ledger_reader/ledger_records.h"
#include "report/model/model.h"
#include "report/model/not_seen.h"
#include "report/model/work_end.h"

namespace commtap {
namespace {

std::optional<int64_t> unlessNegative(int64_t value) {
  return value < 0 ? std::nullopt : std::optional<int64_t>(value);
}

void readJob(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  const LedgerHeader& head = records.header();
  Job& job = reading.report.job;
  job.run_id = records.text(head.run_id);
  job.name = records.text(head.name);
  job.rank = unlessNegative(head.rank);
  job.world_size = unlessNegative(head.world_size);
  job.world_size = job.world_size == 0 ? std::nullopt : job.world_size;
  if (!hasValidRank(job)) {
    records.damaged("job.rank is not below job.world_size, which was left out");
    job.world_size.reset();
  }
  job.local_rank = unlessNegative(head.local_rank);
  job.attempt = std::max<int64_t>(head.attempt, 0);
  job.host = records.text(head.host);
  job.pid = head.pid;
  job.argv = stringsFromJson(records.text(head.argv));
  job.started_at_ns = head.started_at_ns;
  if (const uint64_t ended = head.ended_at_ns.load(); ended != 0) {
    job.ended_at_ns = ended;
  }
  const uint32_t exit = head.exit.load();
  job.exit = exit < kExitKindCount ? static_cast<ExitKind>(exit) : ExitKind::kRunning;
  if (head.exit_code > 0 && exitsByItself(job.exit)) {
    job.exit_status = head.exit_code - 1;
  } else if (head.exit_code > 0) {
    job.exit_signal = head.exit_code;
  }
  job.torch_version = records.text(head.torch_version);
  job.python_version = records.text(head.python_version);
  job.commtap_version = records.text(head.commtap_version);
  job.timing = {head.timing_every, head.timing_device != 0};
  job.planned = head.planned != 0;
  const uint32_t sign =
      records.numberUpTo(kStepSignCount, head.steps_from.load(), "job.steps_from is damaged and was left out");
  if (sign > 0) {
    job.steps_from = static_cast<StepSign>(sign - 1);
  }
}

bool areGroupsDestroyed(const LedgerRecords& records) {
  const uint64_t groups = records.count(kGroups);
  uint64_t destroyed = 0;
  while (destroyed < groups && records.at<kGroups>(destroyed).destroyed.load(std::memory_order_relaxed) == 1) {
    ++destroyed;
  }
  return groups > 0 && destroyed == groups;
}

constexpr uint32_t kMostSignals = 64; ///< the largest number of a signal on Linux

/// Sets what a ledger holds in addition to the report, and the time of the launcher's signal.
void readIdentity(LedgerReading& reading, LedgerContents& contents) {
  LedgerRecords& records = reading.records;
  const LedgerHeader& head = records.header();
  contents.report_name = records.text(head.report_name);
  contents.boot_id = records.text(head.boot_id);
  contents.pid_start_ticks = head.pid_start_ticks;
  contents.parent_pid = head.parent_pid;
  contents.groups_destroyed = areGroupsDestroyed(records);
  contents.signal_sent = records.numberUpTo(
      kMostSignals,
      head.signal_sent.load(std::memory_order_relaxed),
      "the launcher's signal is damaged and was left out");
  contents.ended_by = records.numberUpTo(
      kMostSignals,
      head.ended_by.load(std::memory_order_relaxed),
      "the signal that ended the process is damaged and was left out");
  if (contents.signal_sent != 0) {
    reading.report.job.signal_sent_at_ns = head.signal_sent_at_ns.load(std::memory_order_relaxed);
  }
}

/// Leaves the time of the end at 0: it is added when the report is written.
void readOwnCost(LedgerReading& reading) {
  const LedgerCost& ledger = reading.records.header().cost;
  const auto spentIn = [&](CostPart part) {
    return ledger.spent_ns[static_cast<size_t>(part)].load(std::memory_order_relaxed);
  };
  uint64_t ledger_bytes = kLedgerLayout.offsets[0]; // the header's
  for (int id = 0; id < kSectionCount; ++id) {
    const uint64_t bytes = reading.records.count(static_cast<LedgerSectionId>(id)) * kLedgerRecordSizes[id];
    ledger_bytes += roundUp(bytes, kLedgerPage);
  }
  reading.report.own_cost = {
      .start_ns = ledger.start_ns,
      .collectives_ns = spentIn(CostPart::kCollectives),
      .module_calls_ns = spentIn(CostPart::kModuleCalls),
      .other_ns = spentIn(CostPart::kOther),
      .end_ns = 0,
      .memory_bytes = ledger_bytes + ledger.index_bytes.load(std::memory_order_relaxed) +
                      ledger.thread_bytes.load(std::memory_order_relaxed),
      .ledger_bytes = ledger_bytes};
}

void readNotSeen(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  std::vector<NotSeenEntry>& entries = reading.report.not_seen;
  for (int i = 0; i < kNotSeenCount; ++i) {
    const LedgerNotSeen& entry = records.header().not_seen[i];
    if (const uint64_t count = entry.count.load(); count > 0) {
      const auto reason = static_cast<NotSeen>(i);
      const std::string detail = records.text(entry.detail.load());
      entries.push_back({std::string(notSeenName(reason)), count, detail, std::string(notSeenMeaning(reason))});
    }
  }
  if (!records.damage().empty()) {
    entries.push_back(
        {std::string(kLedgerDamaged),
         1,
         records.damage(),
         "parts of the ledger are damaged: what `detail` names may be wrong or missing"});
  }
}

/// Returns the contents of the file at `path`.
Result<LedgerContents> contentsOf(const std::string& path, const Result<LedgerImage>& image) {
  if (!image) {
    return Result<LedgerContents>::failure(path + ": " + image.error());
  }
  Result<LedgerContents> contents = readLedger(image->bytes());
  if (!contents) {
    return Result<LedgerContents>::failure(path + ": " + contents.error());
  }
  Job& job = contents->report.job;
  if (mayBeRunning({job.pid, contents->pid_start_ticks, contents->boot_id})) {
    return contents;
  }
  if (job.exit == ExitKind::kRunning) {
    const bool has_ended_work = contents->groups_destroyed && !hasCallUnderWay(contents->report);
    job.exit = has_ended_work ? ExitKind::kAfterWork : ExitKind::kKilled;
    const uint64_t sent_at_ns = job.signal_sent_at_ns.value_or(0);
    const bool went_on = contents->signal_sent != SIGKILL && lastEventNs(contents->report) > sent_at_ns + kMomentNs;
    if (contents->signal_sent != 0 && !went_on) { // else another signal has ended it
      job.exit_signal = contents->signal_sent;
      job.ended_at_ns = job.signal_sent_at_ns;
    } else if (contents->ended_by != 0 && job.exit == ExitKind::kKilled) {
      job.exit = ExitKind::kSignal;
      job.exit_signal = contents->ended_by;
    }
  }
  return contents;
}

} // namespace

Result<LedgerContents> readLedger(std::span<const std::byte> bytes) {
  LedgerReading reading{LedgerRecords(bytes)};
  if (std::string error = reading.records.locate(); !error.empty()) {
    return Result<LedgerContents>::failure(std::move(error));
  }
  LedgerContents contents;
  readJob(reading);
  readIdentity(reading, contents);
  readGroups(reading);
  readSequences(reading);
  readModules(reading);
  readForwards(reading);
  readTimes(reading);
  readCollectives(reading);
  readMembers(reading);
  readStalls(reading);
  readSplits(reading);
  setMembers(reading.report);
  readOperations(reading);
  readSteps(reading);
  readLast(reading);
  readNccl(reading);
  readOpenCalls(reading);
  readCudaGraphs(reading);
  readOwnCost(reading);
  readNotSeen(reading);
  contents.report = std::move(reading.report);
  contents.damage = reading.records.damage();
  return contents;
}

Result<Report> readLedgerHead(std::span<const std::byte> bytes) {
  LedgerReading reading{LedgerRecords(bytes)};
  if (std::string error = reading.records.locate(); !error.empty()) {
    return Result<Report>::failure(std::move(error));
  }
  readJob(reading);
  readGroups(reading);
  return std::move(reading.report);
}

Result<LedgerContents> readLedgerFile(const std::string& path) {
  return contentsOf(path, LedgerImage::load(path));
}

Result<LedgerContents> readLedgerFile(const std::string& path, const FileDescriptor& file) {
  return contentsOf(path, LedgerImage::load(file));
}

} // namespace commtap
