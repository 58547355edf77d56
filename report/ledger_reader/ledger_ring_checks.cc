// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// Holds the ring of the last collectives against itself, the rows and the groups: its entries have no check of their
// own.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "report/ledger_reader/ledger_disagreement.h"

namespace commtap {
namespace {

/// Threads that issue collectives of one group at a time can write their entries in another order than they got their
/// numbers. So the ring's oldest entries can lack as many numbers as there are such threads.
constexpr uint64_t kMostReordered = 8;

bool hasAll(const LedgerRecords& records) {
  return records.header().sections[kLast].used.load(std::memory_order_relaxed) <= records.room(kLast);
}

uint64_t numberOf(const LedgerLast& entry) {
  return entry.number.load(std::memory_order_relaxed);
}

/// The entries are numbered without a gap, and each number has its slot. A process that was killed while it wrote an
/// entry leaves the number of the entry before, or none.
std::string ofNumbers(const LedgerRecords& records, const Unfinished& unfinished) {
  const uint64_t written = records.header().sections[kLast].used.load(std::memory_order_relaxed);
  const uint64_t slots = records.count(kLast);
  if (slots < records.room(kLast) && numberOf(records.at<kLast>(slots)) != 0) {
    return differ("all collectives", written, "the number of a later one", numberOf(records.at<kLast>(slots)));
  }
  uint64_t half_written = 0;
  for (uint64_t i = 0; i < slots; ++i) {
    const uint64_t number = numberOf(records.at<kLast>(i));
    const uint64_t laps = (written - 1 - i) / slots;
    const uint64_t expected = laps * slots + i + 1;
    const bool is_old = number == 0 || (laps > 0 && number == expected - slots);
    if (number != expected && !(is_old && ++half_written <= unfinished.most)) {
      return differ("the number of one of the last collectives", number, "its place", expected);
    }
  }
  return {};
}

/// The numbers of one group's collectives in the ring, or of its sends and receives.
using Sequences = std::vector<uint64_t>;

/// Collects the numbers of each group while it looks at each entry.
class Entries {
 public:
  explicit Entries(const LedgerReading& reading) : reading_(reading), sequences_(reading.report.groups.size()) {
    const LedgerRecords& records = reading.records;
    first_ns_ =
        records.count(kSteps) == 0 ? 0 : records.at<kSteps>(records.count(kSteps) > 1 ? 1 : 0).started_at_ns.load();
  }

  /// Returns what is wrong with the entry; "" if nothing is.
  std::string add(const LedgerLast& entry) {
    const LedgerRecords& records = reading_.records;
    if (entry.state.load(std::memory_order_relaxed) >= kLastStateCount) {
      return "has an unknown state";
    }
    if (entry.step > records.header().step.load(std::memory_order_relaxed)) {
      return "is of a step that has not begun";
    }
    if (entry.issued_at_ns < first_ns_) {
      return "was issued before the first step began";
    }
    if (entry.row < records.count(kCollectives)) {
      return addOf(records.at<kCollectives>(entry.row).key, entry);
    }
    has_all_rows_ = false;
    const bool is_full = entry.row == kNoIndex && wasNotSeen(records.header(), NotSeen::kCollectiveRowsFull);
    return is_full ? "" : "names no row of collectives";
  }

  /// A group has given as many numbers as the highest one says, each once. A group that is not among the last
  /// collectives has given some before them, or none at all.
  std::string ofGroups(const Unfinished& unfinished) {
    for (size_t i = 0; has_all_rows_ && i < sequences_.size(); ++i) {
      for (size_t which = 0; which < 2; ++which) {
        const uint64_t issued = reading_.records.at<kGroups>(i).issued[which].load(std::memory_order_relaxed);
        if (std::string wrong = ofGroup(sequences_[i][which], issued, unfinished); !wrong.empty()) {
          return "the collectives of group " + reading_.report.groups[i].name + wrong;
        }
      }
    }
    return {};
  }

 private:
  std::string addOf(const CollectiveKey& key, const LedgerLast& entry) {
    if (sizeClass(entry.bytes) != key.size_class) {
      return "has another payload than its row";
    }
    if (key.group >= sequences_.size()) {
      return entry.sequence == 0 ? "" : "has the number of a group and is of none";
    }
    const uint32_t size = reading_.report.groups[key.group].size;
    const bool is_known = size > 0 && entry.peer >= 0;
    if (entry.peer < -1 || (is_known && static_cast<uint32_t>(entry.peer) >= size)) {
      return "has a peer outside of its group";
    }
    sequences_[key.group][isPointToPoint(kindOf(key.kind)) ? 1 : 0].push_back(entry.sequence);
    return {};
  }

  std::string ofGroup(Sequences& numbers, uint64_t issued, const Unfinished& unfinished) const {
    const bool has_all = hasAll(reading_.records);
    std::sort(numbers.begin(), numbers.end());
    const uint64_t highest = numbers.empty() ? 0 : numbers.back();
    if (!unfinished.explains(issued, highest) && (has_all || highest != 0)) {
      return differ("", issued, "the number of its last one", highest);
    }
    if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) {
      return " have a number twice";
    }
    const uint64_t first = numbers.empty() || has_all ? 1 : numbers.front();
    const uint64_t missing = highest - first + 1 - numbers.size();
    const uint64_t most_missing = has_all ? unfinished.most : kMostReordered;
    if (!numbers.empty() && numbers.front() == 0) {
      return " have number 0, and the first has 1";
    }
    if (!numbers.empty() && missing > most_missing) {
      return " lack a number: " + std::to_string(numbers.size()) + " of " + std::to_string(highest - first + 1);
    }
    return {};
  }

  const LedgerReading& reading_;
  uint64_t first_ns_;
  bool has_all_rows_ = true;                        ///< false: not all entries name a row, and so a group
  std::vector<std::array<Sequences, 2>> sequences_; ///< by group
};

} // namespace

std::string ringDisagreement(const LedgerReading& reading, const Unfinished& unfinished) {
  const LedgerRecords& records = reading.records;
  if (std::string wrong = ofNumbers(records, unfinished); !wrong.empty()) {
    return wrong;
  }
  Entries entries(reading);
  for (uint64_t i = 0; i < records.count(kLast); ++i) {
    const LedgerLast& entry = records.at<kLast>(i);
    if (numberOf(entry) == 0) {
      continue;
    }
    if (const std::string wrong = entries.add(entry); !wrong.empty()) {
      return "one of the last collectives (number " + std::to_string(numberOf(entry)) + ") " + wrong;
    }
  }
  return entries.ofGroups(unfinished);
}

} // namespace commtap
