// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_records.h"

#include <algorithm>
#include <cstring>

namespace commtap {

std::string LedgerRecords::locate() {
  std::string error = checkHeader();
  if (error.empty()) {
    // Later sections first: records refer to earlier sections, and a running process goes on appending.
    for (int id = kSectionCount - 1; id >= 0; --id) {
      locate(static_cast<LedgerSectionId>(id));
    }
  }
  return error;
}

std::string LedgerRecords::checkHeader() const {
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

void LedgerRecords::damaged(const char* what) {
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
  const uint64_t used = id == kLast ? std::min(written, section.capacity) : written;
  if (section.record_size != kLedgerRecordSizes[id] || section.offset % sizeof(uint64_t) != 0) {
    damaged("a section has another layout than this version writes; it was left out");
    return;
  }
  if (used > room || used > section.capacity) {
    damaged("the file is cut off; what it still holds was read");
  }
  sections_[id] = {bytes_.data() + offset, std::min({used, room, section.capacity})};
}

std::string_view LedgerRecords::textView(StringId id) {
  const Section& strings = sections_[kStrings];
  uint32_t length = 0;
  if (strings.count < sizeof(length) || id > strings.count - sizeof(length)) {
    if (id != 0) {
      damaged("a name is missing; it reads as \"?\"");
    }
    return id == 0 ? "" : "?";
  }
  std::memcpy(&length, strings.data + id, sizeof(length));
  if (length > kMaxString || length > strings.count - sizeof(length) - id) {
    damaged("a name is missing; it reads as \"?\"");
    return "?";
  }
  return {reinterpret_cast<const char*>(strings.data + id + sizeof(length)), length};
}

} // namespace commtap
