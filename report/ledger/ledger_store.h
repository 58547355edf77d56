// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "report/ledger/ledger_checks.h"
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

  /// Adds a record, which `fill(record)` sets except for its check. The names of the record take space after the record
  /// itself. Returns nullptr, and counts `what` as not seen because of `full`, if the section is full.
  template <LedgerSectionId kId, typename Fill>
  LedgerRecord<kId>* append(NotSeen full, std::string_view what, const LedgerLock& lock, const Fill& fill) {
    const uint64_t number = reserve(kId, 1, lock);
    if (number == kNoIndex) {
      notSeen(full, what, 1, lock);
      return nullptr;
    }
    LedgerRecord<kId>& record = records<kId>()[number];
    fill(record);
    if constexpr (CheckedRecord<LedgerRecord<kId>>) {
      record.check = checkOf(record, number);
    }
    commit(kId, number + 1, lock);
    return &record;
  }
  /// Returns the number of a record; kNoIndex for nullptr.
  template <LedgerSectionId kId>
  uint32_t indexOf(const LedgerRecord<kId>* record) const {
    return record == nullptr ? kNoIndex : static_cast<uint32_t>(record - records<kId>());
  }

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

struct FreeMemory {
  void operator()(void* memory) const {
    std::free(memory);
  }
};
using ZeroedNumbers = std::unique_ptr<std::atomic<uint32_t>[], FreeMemory>;

/// Returns `count` zeroed numbers; nullptr if out of memory. Untouched pages of a large array take no physical memory.
inline ZeroedNumbers zeroedNumbers(size_t count) {
  void* memory = std::calloc(count, sizeof(std::atomic<uint32_t>));
  return ZeroedNumbers(static_cast<std::atomic<uint32_t>*>(memory));
}

// A key has words(): its fields as 64-bit numbers.

template <typename Words>
bool areEqual(const Words& one, const Words& other) {
  uint64_t differing = 0;
#pragma GCC unroll 5
  for (size_t i = 0; i < one.size(); ++i) {
    differing |= one[i] ^ other[i];
  }
  return differing == 0;
}

/// Multiplies each word by its own factor: the multiplications do not depend on each other.
template <typename Words>
size_t hashOf(const Words& words) {
  constexpr std::array<uint64_t, 5> kFactors = {
      0x9e3779b97f4a7c15U, 0xff51afd7ed558ccdU, 0xc4ceb9fe1a85ec53U, 0xbf58476d1ce4e5b9U, 0xd6e8feb86659fd93U};
  static_assert(std::tuple_size_v<Words> <= kFactors.size());
  uint64_t hash = 0;
#pragma GCC unroll 5
  for (size_t i = 0; i < words.size(); ++i) {
    hash ^= (words[i] ^ (words[i] >> 32U)) * kFactors[i];
  }
  return static_cast<size_t>(hash ^ (hash >> 32U));
}

/// Finds the row of a key without a lock: open addressing over row numbers. Only one thread at a time adds.
template <typename Row, size_t kSize>
class LedgerRowIndex {
  static_assert((kSize & (kSize - 1)) == 0);

 public:
  using Key = decltype(Row::key);

  bool exists() const {
    return slots_ != nullptr;
  }

  static constexpr uint64_t kBytes = kSize * sizeof(uint32_t);

  /// Returns false if there is no memory.
  bool create() {
    slots_ = zeroedNumbers(kSize);
    return slots_ != nullptr;
  }

  /// Returns nullptr if there is no such row. Inline: part of every collective.
  Row* find(const Key& key, Row* rows) const {
    const auto words = key.words();
    for (size_t slot = hashOf(words);; ++slot) {
      const uint32_t row = slots_[slot % kSize].load(std::memory_order_acquire);
      if (row == 0) {
        return nullptr;
      }
      if (areEqual(rows[row - 1].key.words(), words)) {
        return &rows[row - 1];
      }
    }
  }

  void add(const Key& key, uint32_t row) {
    size_t slot = hashOf(key.words());
    while (slots_[slot % kSize].load(std::memory_order_relaxed) != 0) {
      ++slot;
    }
    slots_[slot % kSize].store(row + 1, std::memory_order_release);
  }

 private:
  ZeroedNumbers slots_; ///< row number + 1; 0: free
};

/// Finds and adds the rows of a section whose records have a key. Finding takes no lock. Any thread.
template <LedgerSectionId kId, size_t kIndexSize>
class LedgerRows {
 public:
  using Row = LedgerRecord<kId>;
  using Key = decltype(Row::key);

  LedgerRows(LedgerStore& store, NotSeen full) : store_(store), full_(full) {}

  bool exists() const {
    return index_.exists();
  }
  /// Creates the index, if that was not done before. Returns false if there is no memory.
  bool create(const LedgerLock& lock) {
    if (index_.exists()) {
      return true;
    }
    const bool created = index_.create();
    store_.changeHeader(lock, [&](LedgerHeader& head) { head.cost.index_bytes += created ? index_.kBytes : 0; });
    return created;
  }

  /// Creates the index at its first use, for a table that most processes do not need. Returns false, and counts `what`
  /// as not seen, if there is no memory.
  bool createIfNeeded(StringId what) {
    if (is_created_.load(std::memory_order_acquire)) {
      return true;
    }
    const LedgerLock lock(store_.appending());
    const bool created = create(lock);
    is_created_.store(created, std::memory_order_release);
    if (!created) {
      store_.notSeen(full_, store_.text(what), 1, lock);
    }
    return created;
  }

  /// Returns nullptr if there is no such row.
  Row* find(const Key& key) const {
    return index_.find(key, rows());
  }

  /// Adds the row of a key that find() did not find; another thread may have added it since. `describe` sets what the
  /// row has in addition to key and counters, which are 0. Returns nullptr, and counts `what` as not seen, if the table
  /// is full.
  template <typename Describe>
  Row* add(const Key& key, StringId what, const Describe& describe) {
    const LedgerLock lock(store_.appending());
    if (Row* found = find(key)) {
      return found;
    }
    Row* added = store_.template append<kId>(full_, store_.text(what), lock, [&](Row& row) {
      row.key = key;
      describe(row, lock);
    });
    if (added != nullptr) {
      index_.add(key, store_.template indexOf<kId>(added));
    }
    return added;
  }

  /// Returns the row of a key, which is added if need be; nullptr, and counts `what` as not seen, if the table is full.
  Row* findOrAdd(const Key& key, StringId what) {
    Row* found = find(key);
    return found != nullptr ? found : add(key, what, [](const Row& /*row*/, const LedgerLock& /*lock*/) {});
  }

  /// Runs in a forked child: adds the published rows that a thread of the parent had no time to add to the index.
  void completeIndex(const LedgerLock& lock) {
    for (uint32_t number = 0; index_.exists() && number < store_.used(kId, lock); ++number) {
      if (find(rows()[number].key) == nullptr) {
        index_.add(rows()[number].key, number);
      }
    }
  }

 private:
  Row* rows() const {
    return store_.template records<kId>();
  }

  LedgerStore& store_;
  NotSeen full_;                        ///< the reason that is counted if the table is full
  std::atomic<bool> is_created_{false}; ///< by createIfNeeded()
  LedgerRowIndex<Row, kIndexSize> index_;
};

} // namespace commtap
