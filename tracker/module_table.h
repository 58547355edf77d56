// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracker/python_host.h"

namespace commtap {

/// Which living module object, by its address, has which id. Guarded by the GIL.
/// Never destroyed: modules are called until the process is gone.
class ModuleTable {
 public:
  constexpr ModuleTable() = default;
  ModuleTable(const ModuleTable&) = delete;
  ModuleTable& operator=(const ModuleTable&) = delete;

  /// kCommtapUnknownModule for one that is not there.
  uint32_t find(const void* object) const {
    const uint32_t entry = index_[slotOf(object)];
    return entry == kNoEntry ? kCommtapUnknownModule : entries_[entry].id;
  }

  /// A module that is called, and the one that is probably called next.
  struct Call {
    uint32_t id;
    uint32_t next_id; ///< of any module, if it is not known
  };
  /// find(), on every module call. Models call their modules in one order over and over, so that each entry knows which
  /// was called after it, and that is looked at first. Between two calls of a module the caches have held all that it
  /// computes with: the entry after the next one is fetched meanwhile, since to wait for it would take longer than all
  /// else of a call.
  Call call(const void* object) {
    if (entries_[expected_].object != object) [[unlikely]] {
      const uint32_t entry = index_[slotOf(object)];
      if (entry == kNoEntry) {
        return {kCommtapUnknownModule, 0};
      }
      entries_[last_called_].next = entry;
      expected_ = entry;
    }
    last_called_ = expected_;
    const Entry& called = entries_[last_called_];
    const Entry& next = entries_[called.next];
    expected_ = called.next;
    __builtin_prefetch(&entries_[next.next]);
    return {called.id, next.id};
  }

  /// Replaces what was known of the object. False without memory: it is then not kept.
  bool insert(const void* object, uint32_t id);

  /// The id that the object had; kCommtapUnknownModule for one that was not there.
  uint32_t remove(const void* object);

 private:
  /// In the order in which modules became known, which is about that in which they are called: in pieces of the cache
  /// that hold four, and which the processor expects.
  struct Entry {
    const void* object = nullptr; ///< null: the entry is unused
    uint32_t id = 0;
    uint32_t next = 0; ///< the entry that was called after this one, or any; of an unused one: the next unused one
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
  uint32_t last_called_ = kNoEntry;
  uint32_t expected_ = kNoEntry;
  uint32_t* index_ = &no_index_; ///< owned but for `no_index_`; open addressing, a power of two
  uint32_t mask_ = 0;            ///< of the index: its size less one
  uint32_t used_ = 0;            ///< entries that are or were in use; kNoEntry is before them
  uint32_t free_ = kNoEntry;     ///< the first of those that were in use and are not; kNoEntry: there are none
};

} // namespace commtap
