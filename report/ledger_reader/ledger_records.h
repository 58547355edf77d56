// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_layout.h"

namespace commtap {

/// The published records of a ledger in memory, as far as they lie inside its bytes. Accepts any bytes and notes the
/// first damage.
class LedgerRecords {
 public:
  explicit LedgerRecords(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Finds the sections. Returns an error if the bytes are not a ledger of this version, else "".
  std::string locate();

  const LedgerHeader& header() const {
    return *reinterpret_cast<const LedgerHeader*>(bytes_.data());
  }
  /// Returns the number of records in a section.
  uint64_t count(LedgerSectionId id) const {
    return sections_[id].count;
  }
  /// Returns a record; `index` is below count().
  template <LedgerSectionId kId>
  const LedgerRecord<kId>& at(uint64_t index) const {
    return reinterpret_cast<const LedgerRecord<kId>*>(sections_[kId].data)[index];
  }

  /// Return the string of an id; "?" if it is missing. The view is valid as long as the bytes.
  std::string_view textView(StringId id);
  std::string text(StringId id) {
    return std::string(textView(id));
  }

  /// Notes damage. Keeps the first note.
  void damaged(const char* what);
  /// Returns the noted damage; "" if there is none.
  const std::string& damage() const {
    return damage_;
  }

 private:
  struct Section {
    const std::byte* data = nullptr;
    uint64_t count = 0;
  };

  std::string checkHeader() const;
  void locate(LedgerSectionId id);

  std::span<const std::byte> bytes_;
  std::array<Section, kSectionCount> sections_;
  std::string damage_;
};

} // namespace commtap
