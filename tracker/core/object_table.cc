// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/object_table.h"

#include <algorithm>
#include <new>

namespace commtap {

constinit ObjectTable::Entry ObjectTable::no_entry_;

bool ObjectTable::insert(const void* object, uint32_t id) {
  if ((size_ + 1) * 2 > mask_ + 1 && !grow()) {
    return false;
  }
  Entry& entry = entries_[slotOf(object)];
  size_ += entry.object == nullptr ? 1 : 0;
  entry = {object, id};
  return true;
}

uint32_t ObjectTable::remove(const void* object) {
  const uint32_t slot = slotOf(object);
  const uint32_t id = entries_[slot].id;
  if (entries_[slot].object != nullptr) {
    closeGap(slot);
    --size_;
  }
  return id;
}

/// Moves entries into the gap, so that no search stops early: linear probing without tombstones.
void ObjectTable::closeGap(uint32_t gap) {
  for (uint32_t next = (gap + 1) & mask_; entries_[next].object != nullptr; next = (next + 1) & mask_) {
    const uint32_t home = hash(entries_[next].object) & mask_;
    if (((next - home) & mask_) >= ((next - gap) & mask_)) {
      entries_[gap] = entries_[next];
      gap = next;
    }
  }
  entries_[gap] = Entry{};
}

bool ObjectTable::grow() {
  constexpr uint32_t kFirst = 1024;
  const uint32_t old_slots = mask_ + 1;
  Entry* old = entries_;
  const uint32_t slots = std::max(kFirst, old_slots * 2);
  auto* entries = new (std::nothrow) Entry[slots];
  if (entries == nullptr) {
    return false;
  }
  entries_ = entries;
  mask_ = slots - 1;
  for (uint32_t slot = 0; slot < old_slots; ++slot) {
    if (old[slot].object != nullptr) {
      entries_[slotOf(old[slot].object)] = old[slot];
    }
  }
  if (old != &no_entry_) {
    delete[] old;
  }
  return true;
}

} // namespace commtap
