// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// Holds the ledger's live counters against each other: what is counted in two places has no check of its own.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "report/ledger_reader/ledger_reading.h"

namespace commtap {
namespace {

std::string differ(const std::string& one, uint64_t first, const std::string& other, uint64_t second) {
  return one + " (" + std::to_string(first) + ") and " + other + " (" + std::to_string(second) + ") do not agree";
}

struct LaneSum {
  uint64_t count = 0;
  uint64_t bytes = 0;
};
using LaneSums = std::array<LaneSum, kLaneCount>;

LaneSums sumsOfRows(LedgerRecords& records) {
  LaneSums sums;
  records.forEachWhole<kCollectives>([&](const LedgerCollective& row, uint64_t /*number*/) {
    LaneSum& sum = sums[std::min(row.lane, kLaneCount - 1)];
    sum.count += row.count.load(std::memory_order_relaxed);
    sum.bytes += row.bytes.load(std::memory_order_relaxed);
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

/// Each collective is added to its row and to the lane of its kind and group in the running step.
std::string ofRowsAndSteps(LedgerRecords& records) {
  const LaneSums rows = sumsOfRows(records);
  const LaneSums steps = sumsOfSteps(records);
  for (uint32_t lane = 0; lane < kLaneCount; ++lane) {
    if (rows[lane].count != steps[lane].count) {
      return differ("the collectives of the rows", rows[lane].count, "those of the steps", steps[lane].count);
    }
    if (rows[lane].bytes != steps[lane].bytes) {
      return differ("the bytes of the rows", rows[lane].bytes, "those of the steps", steps[lane].bytes);
    }
  }
  return {};
}

bool wasNotSeen(const LedgerHeader& header, NotSeen reason) {
  return header.not_seen[static_cast<size_t>(reason)].count.load(std::memory_order_relaxed) != 0;
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

/// Each collective gets a number in its group.
std::string ofRowsAndGroups(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  std::vector<std::array<uint64_t, 2>> counted(reading.report.groups.size());
  records.forEachWhole<kCollectives>([&](const LedgerCollective& row, uint64_t /*number*/) {
    if (row.key.group < counted.size()) {
      counted[row.key.group][isPointToPoint(kindOf(row.key.kind)) ? 1 : 0] += row.count.load(std::memory_order_relaxed);
    }
  });
  for (size_t i = 0; i < counted.size(); ++i) {
    for (size_t which = 0; which < 2; ++which) {
      const uint64_t issued = records.at<kGroups>(i).issued[which].load(std::memory_order_relaxed);
      if (issued != counted[i][which]) {
        const std::string group = "the collectives of group " + reading.report.groups[i].name;
        return differ(group, issued, "those of its rows", counted[i][which]);
      }
    }
  }
  return {};
}

/// The numbers that a group has given to its last collectives, and to its last sends and receives.
using Issued = std::array<uint64_t, 2>;

/// Returns the highest numbers among the last collectives, by group; nullopt if the group of one is not known.
std::optional<std::vector<Issued>> lastIssued(const LedgerReading& reading) {
  const LedgerRecords& records = reading.records;
  std::vector<Issued> issued(reading.report.groups.size());
  for (uint64_t i = 0; i < records.count(kLast); ++i) {
    const LedgerLast& last = records.at<kLast>(i);
    if (last.row >= records.count(kCollectives)) {
      return std::nullopt;
    }
    const CollectiveKey& key = records.at<kCollectives>(last.row).key;
    if (key.group < issued.size()) {
      uint64_t& highest = issued[key.group][isPointToPoint(kindOf(key.kind)) ? 1 : 0];
      highest = std::max(highest, last.sequence);
    }
  }
  return issued;
}

/// A group has issued as many collectives as the number of its last one says. A group that is not among the last
/// collectives has issued some before them, or none at all.
std::string ofGroupsAndLast(const LedgerReading& reading) {
  const LedgerRecords& records = reading.records;
  const std::optional<std::vector<Issued>> last = lastIssued(reading);
  const bool has_all = records.header().sections[kLast].used.load(std::memory_order_relaxed) <= records.room(kLast);
  for (size_t i = 0; last && i < last->size(); ++i) {
    for (size_t which = 0; which < 2; ++which) {
      const uint64_t highest = (*last)[i][which];
      const uint64_t issued = records.at<kGroups>(i).issued[which].load(std::memory_order_relaxed);
      if (issued != highest && (has_all || highest != 0)) {
        const std::string group = "the collectives of group " + reading.report.groups[i].name;
        return differ(group, issued, "the number of its last one", highest);
      }
    }
  }
  return {};
}

/// Each collective gets a number in the ring of the last ones.
std::string ofRowsAndLast(LedgerRecords& records) {
  uint64_t counted = 0;
  for (const LaneSum& sum : sumsOfRows(records)) {
    counted += sum.count;
  }
  const uint64_t written = records.header().sections[kLast].used.load(std::memory_order_relaxed);
  return written == counted ? std::string() : differ("all collectives", written, "those of the rows", counted);
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

/// The ring's entries are numbered without a gap, and each number has its slot.
std::string ofLast(const LedgerRecords& records) {
  const uint64_t written = records.header().sections[kLast].used.load(std::memory_order_relaxed);
  const uint64_t slots = records.count(kLast);
  if (slots < records.room(kLast) && records.at<kLast>(slots).number.load(std::memory_order_relaxed) != 0) {
    return differ("all collectives", written, "the number of a later one", records.at<kLast>(slots).number);
  }
  for (uint64_t i = 0; i < slots; ++i) {
    const uint64_t number = records.at<kLast>(i).number.load(std::memory_order_relaxed);
    const uint64_t laps = (written - 1 - i) / slots;
    if (number != laps * slots + i + 1) {
      return differ("the number of one of the last collectives", number, "its place", laps * slots + i + 1);
    }
  }
  return {};
}

/// The first of each reason writes a mark, before it is counted.
std::string ofNotSeen(const LedgerHeader& header) {
  for (size_t i = 0; i < kNotSeenCount; ++i) {
    const LedgerNotSeen& entry = header.not_seen[i];
    const uint64_t count = entry.count.load(std::memory_order_relaxed);
    const uint32_t noted = entry.noted.load(std::memory_order_relaxed);
    if (noted != (count > 0 ? 1U : 0U)) {
      return differ("the count of " + std::string(notSeenName(static_cast<NotSeen>(i))), count, "its mark", noted);
    }
  }
  return {};
}

std::string ofEnd(const LedgerHeader& header) {
  const bool is_whole = header.check.load() == 0 || header.end_check.load() == checkOfEnd(header);
  return is_whole ? std::string() : "how the process ended is only half written";
}

} // namespace

std::string disagreement(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  const LedgerHeader& header = records.header();
  std::string found = ofEnd(header);
  const auto hold = [&found](const auto& check) { found = found.empty() ? check() : found; };
  if (header.resets == 0) { // else what other threads added at that time may be in one of two places
    hold([&] { return ofNotSeen(header); });
    hold([&] { return ofRowsAndSteps(records); });
    hold([&] { return ofSteps(records); });
    hold([&] { return ofLast(records); });
    hold([&] { return ofGroupsAndLast(reading); });
    if (hasOneCountEach(records)) {
      hold([&] { return ofRowsAndGroups(reading); });
      hold([&] { return ofRowsAndLast(records); });
    }
  }
  return found;
}

} // namespace commtap
