// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tracker/core/python_host.h"

namespace commtap {

/// Maps an object's address to an id: a module object to its own, a tensor to its owner's. Open addressing with linear
/// probing. The owner of the table guards it. Never destroyed: modules are called until the process exits.
class ObjectTable {
 public:
  constexpr ObjectTable() = default;
  ObjectTable(const ObjectTable&) = delete;
  ObjectTable& operator=(const ObjectTable&) = delete;

  static constexpr uint32_t kUnknown = kCommtapUnknownModule;

  /// Returns the object's id; kUnknown for nullptr or if the object is not in the table.
  uint32_t find(const void* object) const {
    return entries_[slotOf(object)].id;
  }

  /// Sets the id of an object that is not null, replacing an earlier id. Returns false if there is no memory; the
  /// object is then not added.
  bool insert(const void* object, uint32_t id);

  /// Removes the object and returns its id; kUnknown if the object was not in the table.
  uint32_t remove(const void* object);

  /// Returns the number of objects in the table.
  uint32_t size() const {
    return size_;
  }

 private:
  struct Entry {
    const void* object = nullptr; ///< null: free
    uint32_t id = kUnknown;
  };

  /// Returns the slot of the object; if the object is not in the table, the free slot where it would go.
  uint32_t slotOf(const void* object) const {
    uint32_t slot = hash(object) & mask_;
    while (entries_[slot].object != nullptr && entries_[slot].object != object) {
      slot = (slot + 1) & mask_;
    }
    return slot;
  }
  static uint32_t hash(const void* object) {
    return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(object) >> 4U) * 0x9e3779b97f4a7c15U >> 20U);
  }
  void closeGap(uint32_t gap);
  bool grow();

  static constinit Entry no_entry_; ///< the only slot of an empty table

  Entry* entries_ = &no_entry_; ///< owned unless &no_entry_; a power of two, at most half used
  uint32_t mask_ = 0;           ///< number of slots minus one
  uint32_t size_ = 0;           ///< slots in use
};

} // namespace commtap
