// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "report/ledger/ledger_memory.h"

namespace commtap {

/// The ledger's memory with what every section needs: strings and the counts of what was not seen. Any thread; nothing
/// throws.
class LedgerStore : public LedgerMemory {
 public:
  /// Returns the id of `text`, stored once and cut at kMaxString; that of "?" if the section is full.
  StringId intern(std::string_view text);
  StringId intern(std::string_view text, const LedgerLock& lock);
  /// Returns the string; the view is valid until the process exits.
  std::string_view text(StringId id) const;

  /// Counts `count` times that something was not seen. `detail` is kept for the first time only.
  void notSeen(NotSeen reason, std::string_view detail, uint64_t count = 1);
  void notSeen(NotSeen reason, std::string_view detail, uint64_t count, const LedgerLock& lock);

 protected:
  /// Rebuilds the index of strings from the section: in an empty ledger, or in a forked child whose parent may have
  /// been appending.
  void indexStrings(const LedgerLock& lock);

 private:
  /// Finds a std::string_view without a std::string.
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Strings = std::unordered_map<std::string, StringId, TextHash, std::equal_to<>>;

  Strings strings_; ///< guarded by appending()
};

} // namespace commtap
