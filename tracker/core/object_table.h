// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracker/core/python_host.h"

namespace commtap {

/// Maps an object's address to an id: a module object to its own, a tensor to its owner's. The owner of the table
/// guards it. Never destroyed: modules are called until the process exits.
class ObjectTable {
 public:
  constexpr ObjectTable() = default;
  ObjectTable(const ObjectTable&) = delete;
  ObjectTable& operator=(const ObjectTable&) = delete;

  static constexpr uint32_t kUnknown = kCommtapUnknownModule;

  /// Returns the object's id; kUnknown if the object is not in the table.
  uint32_t find(const void* object) const {
    const uint32_t entry = index_[slotOf(object)];
    return entry == kNoEntry ? kUnknown : entries_[entry].id;
  }

  /// The ids of an object that was looked up and of the predicted next one.
  struct Found {
    uint32_t id;
    uint32_t next_id; ///< prediction only; any object's id if there is none
  };
  /// Like find(), for non-null objects looked up in a repeating order, such as modules and ready gradients. Tries the
  /// entry that followed the last hit, then the index. Prefetches the entry two ahead: between two lookups the model
  /// computes and the data goes cold, and a cache miss would cost more than the rest of a module call.
  Found findInTurn(const void* object) {
    uint32_t entry = entries_[last_found_].next;
    if (entries_[entry].object != object) [[unlikely]] {
      entry = index_[slotOf(object)];
      if (entry == kNoEntry) {
        return {kUnknown, 0};
      }
      entries_[last_found_].next = entry;
    }
    last_found_ = entry;
    const Entry& found = entries_[entry];
    const Entry& next = entries_[found.next];
    __builtin_prefetch(&entries_[next.next]);
    return {found.id, next.id};
  }

  /// Sets the object's id, replacing an earlier one. Returns false if there is no memory; the object is then not added.
  bool insert(const void* object, uint32_t id);

  /// Removes the object and returns its id; kUnknown if the object was not in the table.
  uint32_t remove(const void* object);

  /// Returns the number of objects in the table.
  uint32_t size() const {
    return size_;
  }

 private:
  /// Entries are in insertion order, which is close to lookup order. A cache line holds four; the hardware prefetcher
  /// follows them.
  struct Entry {
    const void* object = nullptr; ///< null: the entry is unused
    uint32_t id = 0;
    uint32_t next = 0; ///< used: the entry last looked up after this one, or any; unused: the next unused entry
  };
  static constexpr uint32_t kNoEntry = 0; ///< always unused

  /// Returns the index slot of the object's entry; if there is no entry, the kNoEntry slot where it would go.
  uint32_t slotOf(const void* object) const {
    uint32_t slot = hash(object) & mask_;
    while (index_[slot] != kNoEntry && entries_[index_[slot]].object != object) {
      slot = (slot + 1) & mask_;
    }
    return slot;
  }
  static uint32_t hash(const void* object) {
    return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(object) >> 4U) * 0x9e3779b97f4a7c15U >> 20U);
  }
  void closeGap(uint32_t gap);
  bool grow();

  static constinit Entry no_entry_;    ///< the only one of an empty table
  static constinit uint32_t no_index_; ///< the only index slot of an empty table

  // Members are in the order in which a call reads them.
  Entry* entries_ = &no_entry_; ///< owned unless &no_entry_; half the index size plus one
  uint32_t last_found_ = kNoEntry;
  uint32_t* index_ = &no_index_; ///< owned unless &no_index_; open addressing, a power of two
  uint32_t mask_ = 0;            ///< index size minus one
  uint32_t used_ = 0;            ///< entries that are or were in use, not counting kNoEntry
  uint32_t size_ = 0;            ///< entries that are in use
  uint32_t free_ = kNoEntry;     ///< first freed entry; kNoEntry: none
};

} // namespace commtap
