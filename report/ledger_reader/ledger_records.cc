// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_records.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace commtap {
namespace {

/// What a record is called in the note of its damage, by section.
constexpr std::array<std::string_view, kSectionCount> kRecordNames = {
    "a name",
    "the ranks of a group",
    "a group",
    "a module",
    "a parameter",
    "the durations of a row of collectives",
    "a row of collectives",
    "a row of operations",
    "a communicator",
    "a row of calls to NCCL",
    "a CUDA graph",
    "a call in a CUDA graph",
    "a kind and group of the steps",
    "a step",
    "one of the last collectives",
    "the sums of a group's collectives",
    "a member of a row of collectives",
    "a peer of split sizes",
    "the split sizes of a row of collectives",
    "the time in which a module stood still",
    "an open call to NCCL",
};

} // namespace

std::string LedgerRecords::locate() {
  std::string error = checkHeader();
  if (error.empty()) {
    checkSeals();
    // Later sections first: records refer to earlier sections, and a running process goes on appending.
    for (int id = kSectionCount - 1; id >= 0; --id) {
      locate(static_cast<LedgerSectionId>(id));
    }
    if (isCutBeforeRunId()) {
      error = "a ledger cut off before the name of its run (" + std::to_string(bytes_.size()) + " bytes)";
    }
  }
  return error;
}

/// A file that does not say of which run it is would look like a run of its own.
bool LedgerRecords::isCutBeforeRunId() const {
  const LedgerSection& strings = header().sections[kStrings];
  const bool is_cut = strings.offset + strings.used.load(std::memory_order_acquire) > bytes_.size();
  return is_cut && strings.offset + header().run_id + sizeof(LedgerString) > bytes_.size();
}

std::string LedgerRecords::checkHeader() {
  if (bytes_.size() < sizeof(kLedgerMagic) + sizeof(uint32_t) ||
      std::memcmp(bytes_.data(), kLedgerMagic, sizeof(kLedgerMagic)) != 0) {
    return "not a commtap ledger";
  }
  uint32_t version = 0;
  std::memcpy(&version, bytes_.data() + sizeof(kLedgerMagic), sizeof(version));
  if (version != kLedgerVersion) {
    return "a ledger of format " + std::to_string(version) + ", this commtap reads format " +
           std::to_string(kLedgerVersion) + ": use the commtap that the job ran with";
  }
  if (bytes_.size() < sizeof(LedgerHeader) || header().header_size != sizeof(LedgerHeader)) {
    return "a ledger cut off inside its header (" + std::to_string(bytes_.size()) + " bytes)";
  }
  return {};
}

void LedgerRecords::checkSeals() {
  const LedgerHeader& head = header();
  const uint32_t check = head.check.load(std::memory_order_acquire);
  if (check != 0 && check != checkOf(head)) {
    damaged("the header does not fit its check: what it says about the process may be wrong");
  }
  const uint32_t end_check = head.end_check.load(std::memory_order_acquire);
  if (end_check != 0 && end_check != checkOfEnd(head)) {
    damaged("the header does not fit its check: how and when the process ended may be wrong");
  }
}

void LedgerRecords::damaged(std::string_view what) {
  if (damage_.empty()) {
    damage_ = what;
  }
}

void LedgerRecords::locate(LedgerSectionId id) {
  const LedgerSection& section = header().sections[id];
  const uint64_t size = bytes_.size();
  const uint64_t offset = std::min<uint64_t>(section.offset, size);
  const uint64_t room = (size - offset) / kLedgerRecordSizes[id];
  const uint64_t written = section.used.load(std::memory_order_acquire);
  if (section.record_size != kLedgerRecordSizes[id] || section.offset % sizeof(uint64_t) != 0) {
    damaged("a section has another layout than this version writes; it was left out");
    return;
  }
  const uint64_t there = std::min(room, section.capacity);
  sections_[id] = {bytes_.data() + offset, there};
  const std::optional<uint64_t> used = id == kLast ? std::min(written, section.capacity) : usedIn(id, written);
  if (!used) {
    damaged("the number of records of a section is damaged; those that fit their checks were read");
    sections_[id].count = countFittingRecords(id);
    return;
  }
  if (*used > there) {
    damaged("the file is cut off; what it still holds was read");
  }
  sections_[id].count = std::min(*used, there);
}

/// Returns the number of records up to the first that does not fit its check. Names and ranks are checked when they are
/// read.
uint64_t LedgerRecords::countFittingRecords(LedgerSectionId id) const {
  if (id == kStrings || id == kRanks) {
    return count(id);
  }
  return [&]<size_t... kIds>(std::index_sequence<kIds...>) {
    return (countFittingIn<static_cast<LedgerSectionId>(kIds)>(id) + ...);
  }
  (std::make_index_sequence<kSectionCount>());
}

void LedgerRecords::noteDamagedRecord(LedgerSectionId id) {
  damaged(std::string(kRecordNames[id]) + " is damaged and was left out");
}

uint32_t LedgerRecords::numberUpTo(uint32_t most, uint32_t number, const char* damage) {
  if (number > most) {
    damaged(damage);
    return 0;
  }
  return number;
}

std::string_view LedgerRecords::textView(StringId id) {
  if (id == 0) {
    return "";
  }
  const Section& strings = sections_[kStrings];
  LedgerString head{};
  if (id <= strings.count && strings.count - id >= sizeof(head)) {
    std::memcpy(&head, strings.data + id, sizeof(head));
    if (head.length <= kMaxString && head.length <= strings.count - sizeof(head) - id) {
      const std::string_view text(reinterpret_cast<const char*>(strings.data + id + sizeof(head)), head.length);
      if (head.check == checkOf(text, id)) {
        return text;
      }
    }
  }
  damaged("a name is missing or damaged; it reads as \"?\"");
  return "?";
}

} // namespace commtap
