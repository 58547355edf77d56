// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracker/core/python_host.h"

namespace commtap {

/// Which object, by its address, has which id: a module object its own, a tensor its owner's. Guarded by its owner.
/// Never destroyed: modules are called until the process is gone.
class ObjectTable {
 public:
  constexpr ObjectTable() = default;
  ObjectTable(const ObjectTable&) = delete;
  ObjectTable& operator=(const ObjectTable&) = delete;

  static constexpr uint32_t kUnknown = kCommtapUnknownModule;

  /// kUnknown for one that is not there.
  uint32_t find(const void* object) const {
    const uint32_t entry = index_[slotOf(object)];
    return entry == kNoEntry ? kUnknown : entries_[entry].id;
  }

  /// An object that was looked for, and the one that is probably looked for next.
  struct Found {
    uint32_t id;
    uint32_t next_id; ///< of any object, if it is not known
  };
  /// find() of one that is not null, for who asks again and again. Models call their modules in one order over and
  /// over, and in one order their gradients are ready: each entry knows which was looked for after it, and that is
  /// looked at first. In between the caches have held all that the model computes with: the entry after the next one is
  /// fetched meanwhile, since to wait for it would take longer than all else of a module call.
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

  /// Replaces what was known of the object. False without memory: it is then not kept.
  bool insert(const void* object, uint32_t id);

  /// The id that the object had; kUnknown for one that was not there.
  uint32_t remove(const void* object);

  /// How many there are.
  uint32_t size() const {
    return size_;
  }

 private:
  /// In the order in which objects became known, which is about that in which they are looked for: in pieces of the
  /// cache that hold four, and which the processor expects.
  struct Entry {
    const void* object = nullptr; ///< null: the entry is unused
    uint32_t id = 0;
    uint32_t next = 0; ///< the entry that was looked for after this one, or any; of an unused one: the next unused one
  };
  static constexpr uint32_t kNoEntry = 0; ///< always unused

  /// Where in the index the object's entry is, or would be: at kNoEntry.
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
  static constinit uint32_t no_index_; ///< likewise

  // In the order in which a call needs them.
  Entry* entries_ = &no_entry_; ///< owned but for `no_entry_`; half as many as the index has, and one
  uint32_t last_found_ = kNoEntry;
  uint32_t* index_ = &no_index_; ///< owned but for `no_index_`; open addressing, a power of two
  uint32_t mask_ = 0;            ///< of the index: its size less one
  uint32_t used_ = 0;            ///< entries that are or were in use; kNoEntry is before them
  uint32_t size_ = 0;            ///< entries that are in use
  uint32_t free_ = kNoEntry;     ///< the first of those that were in use and are not; kNoEntry: there are none
};

} // namespace commtap
