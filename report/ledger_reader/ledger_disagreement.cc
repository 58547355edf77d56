// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// Holds the ledger's live counters against each other: what is counted in two places has no check of its own.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "report/ledger_reader/ledger_disagreement.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

struct LaneSum {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t smallest = UINT64_MAX; ///< payload that a collective of the lane can have
  uint64_t largest = 0;
};
using LaneSums = std::array<LaneSum, kLaneCount>;

/// The sums wrap around like the counters of the ledger, so they can be compared at any size.
LaneSums sumsOfRows(LedgerRecords& records) {
  LaneSums sums;
  records.forEachWhole<kCollectives>([&](const LedgerCollective& row, uint64_t /*number*/) {
    LaneSum& sum = sums[std::min(uint32_t{row.lane}, kLaneCount - 1)];
    sum.count += row.count.load(std::memory_order_relaxed);
    sum.bytes += row.bytes.load(std::memory_order_relaxed);
    const uint64_t smallest = sizeClassStart(std::min(row.key.size_class, kMaxSizeClass));
    sum.smallest = std::min(sum.smallest, smallest);
    sum.largest = std::max(sum.largest, smallest == 0 ? 0 : smallest + (smallest - 1));
  });
  return sums;
}

LaneSums sumsOfSteps(const LedgerRecords& records) {
  LaneSums sums;
  for (uint64_t i = 0; i < records.count(kSteps); ++i) {
    for (uint32_t lane = 0; lane < kLaneCount; ++lane) {
      const LedgerStepLane& amount = records.at<kSteps>(i).lanes[lane];
      sums[lane].count += amount.count.load(std::memory_order_relaxed);
      sums[lane].bytes += amount.bytes.load(std::memory_order_relaxed);
    }
  }
  return sums;
}

/// Returns whether the lane's unfinished collectives, of which `calls` are counted in their rows only, can have these
/// bytes in their rows only.
bool explainsBytes(const Unfinished& unfinished, const LaneSum& rows, uint64_t calls, uint64_t bytes) {
  if (bytes == 0) {
    return calls == 0 || rows.smallest == 0;
  }
  return bytes >= productSaturating(std::max<uint64_t>(calls, 1), rows.smallest) &&
         bytes <= productSaturating(unfinished.most, rows.largest);
}

/// Each collective is added to its row and then to the lane of its kind and group in the running step. `counted`: those
/// whose count the step may lack; `unfinished`: those whose bytes it may lack.
std::string ofRowsAndSteps(LedgerRecords& records, Unfinished counted, const Unfinished& unfinished) {
  const LaneSums rows = sumsOfRows(records);
  const LaneSums steps = sumsOfSteps(records);
  for (uint32_t lane = 0; lane < kLaneCount; ++lane) {
    if (!counted.explains(rows[lane].count, steps[lane].count)) {
      return differ("the collectives of the rows", rows[lane].count, "those of the steps", steps[lane].count);
    }
    const uint64_t calls = rows[lane].count - steps[lane].count;
    if (!explainsBytes(unfinished, rows[lane], calls, rows[lane].bytes - steps[lane].bytes)) {
      return differ("the bytes of the rows", rows[lane].bytes, "those of the steps", steps[lane].bytes);
    }
    counted.most -= calls;
  }
  return {};
}

/// Returns whether each collective is in one row, once. Not so if the table was full, if an error came between two of
/// its numbers, and if it was captured into a CUDA graph, which takes back one and adds one per launch.
bool hasOneCountEach(LedgerRecords& records) {
  uint64_t captured = 0;
  records.forEachWhole<kNcclCalls>([&](const LedgerNcclCall& row, uint64_t /*number*/) {
    captured += row.captured.load(std::memory_order_relaxed);
  });
  return !wasNotSeen(records.header(), NotSeen::kCollectiveRowsFull) &&
         !wasNotSeen(records.header(), NotSeen::kInternalError) && captured == 0 && records.count(kGraphs) == 0;
}

/// Each collective gets a number in its group, after it was counted.
std::string ofRowsAndGroups(LedgerReading& reading, Unfinished counted) {
  LedgerRecords& records = reading.records;
  std::vector<std::array<uint64_t, 2>> rows(reading.report.groups.size());
  records.forEachWhole<kCollectives>([&](const LedgerCollective& row, uint64_t /*number*/) {
    if (row.key.group < rows.size()) {
      rows[row.key.group][isPointToPoint(kindOf(row.key.kind)) ? 1 : 0] += row.count.load(std::memory_order_relaxed);
    }
  });
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t which = 0; which < 2; ++which) {
      const uint64_t issued = records.at<kGroups>(i).issued[which].load(std::memory_order_relaxed);
      if (!counted.explains(rows[i][which], issued)) {
        const std::string group = "the collectives of group " + reading.report.groups[i].name;
        return differ(group, issued, "those of its rows", rows[i][which]);
      }
      counted.most -= rows[i][which] - issued;
    }
  }
  return {};
}

uint64_t countOfRows(LedgerRecords& records) {
  uint64_t counted = 0;
  for (const LaneSum& sum : sumsOfRows(records)) {
    counted += sum.count;
  }
  return counted;
}

uint64_t countOfLast(const LedgerRecords& records) {
  return records.header().sections[kLast].used.load(std::memory_order_relaxed);
}

/// Each collective gets a number in the ring of the last ones, after it was counted.
std::string ofRowsAndLast(LedgerRecords& records, const Unfinished& unfinished) {
  const uint64_t rows = countOfRows(records);
  const uint64_t written = countOfLast(records);
  return unfinished.explains(rows, written) ? std::string()
                                            : differ("all collectives", written, "those of the rows", rows);
}

std::string ofSteps(const LedgerRecords& records) {
  uint64_t ended = 0;
  for (uint64_t i = 1; i < records.count(kSteps); ++i) {
    ended += records.at<kSteps>(i).steps;
  }
  const uint64_t step = records.header().step.load(std::memory_order_relaxed);
  if (ended != step) {
    return differ("the running step", step, "the steps that have ended", ended);
  }
  const uint64_t first = records.count(kSteps) > 0 ? records.at<kSteps>(0).first_step.load() : step;
  return first == step ? std::string() : differ("the running step", step, "its record", first);
}

/// The first of each reason writes a mark, before it is counted.
std::string ofNotSeen(const LedgerHeader& header, const Unfinished& unfinished) {
  for (size_t i = 0; i < kNotSeenCount; ++i) {
    const LedgerNotSeen& entry = header.not_seen[i];
    const uint64_t count = entry.count.load(std::memory_order_relaxed);
    const uint32_t noted = entry.noted.load(std::memory_order_relaxed);
    const bool is_half_written = count == 0 && noted == 1 && unfinished.most > 0;
    if (noted != (count > 0 ? 1U : 0U) && !is_half_written) {
      return differ("the count of " + std::string(notSeenName(static_cast<NotSeen>(i))), count, "its mark", noted);
    }
  }
  return {};
}

/// A process that did not exit by itself leaves at most one collective unfinished per thread that makes collectives:
/// those are few.
Unfinished unfinishedOf(const LedgerHeader& header) {
  constexpr uint64_t kMostThreads = 8;
  return {exitsByItself(static_cast<ExitKind>(header.exit.load())) ? 0 : kMostThreads};
}

std::string ofEnd(const LedgerHeader& header) {
  const bool is_whole = header.check.load() == 0 || header.end_check.load() == checkOfEnd(header);
  return is_whole ? std::string() : "how the process ended is only half written";
}

} // namespace

std::string differ(const std::string& one, uint64_t first, const std::string& other, uint64_t second) {
  return one + " (" + std::to_string(first) + ") and " + other + " (" + std::to_string(second) + ") do not agree";
}

std::string disagreement(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  const LedgerHeader& header = records.header();
  std::string found = ofEnd(header);
  const auto hold = [&found](const auto& check) { found = found.empty() ? check() : found; };
  if (header.resets == 0) { // else what other threads added at that time may be in one of two places
    const bool has_one_count_each = hasOneCountEach(records);
    const Unfinished unfinished = unfinishedOf(header);
    Unfinished counted = unfinished;
    if (has_one_count_each) {
      counted.most = std::min(counted.most, countOfRows(records) - countOfLast(records));
    }
    hold([&] { return ofNotSeen(header, unfinished); });
    hold([&] { return ofRowsAndSteps(records, counted, unfinished); });
    hold([&] { return ofSteps(records); });
    hold([&] { return ringDisagreement(reading, unfinished); });
    if (has_one_count_each) {
      hold([&] { return ofRowsAndGroups(reading, counted); });
      hold([&] { return ofRowsAndLast(records, unfinished); });
    }
  }
  return found;
}

} // namespace commtap
