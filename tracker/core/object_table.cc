// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/object_table.h"

#include <algorithm>
#include <memory>
#include <new>

namespace commtap {

constinit ObjectTable::Entry ObjectTable::no_entry_;
constinit uint32_t ObjectTable::no_index_ = kNoEntry;

bool ObjectTable::insert(const void* object, uint32_t id) {
  if (free_ == kNoEntry && (used_ + 1) * 2 > mask_ + 1 && !grow()) {
    return false;
  }
  uint32_t& entry = index_[slotOf(object)];
  if (entry != kNoEntry) {
    entries_[entry].id = id;
    return true;
  }
  if (free_ != kNoEntry) {
    entry = free_;
    free_ = entries_[entry].next;
  } else {
    entry = ++used_;
  }
  entries_[entry] = {object, id};
  ++size_;
  return true;
}

uint32_t ObjectTable::remove(const void* object) {
  const uint32_t slot = slotOf(object);
  const uint32_t entry = index_[slot];
  if (entry == kNoEntry) {
    return kUnknown;
  }
  closeGap(slot);
  const uint32_t id = entries_[entry].id;
  entries_[entry] = {nullptr, 0, free_};
  free_ = entry;
  --size_;
  if (last_found_ == entry) {
    last_found_ = kNoEntry; // else the next lookup would write into the free list
  }
  return id;
}

/// Moves entries into the gap, so that no search stops early: linear probing without tombstones.
void ObjectTable::closeGap(uint32_t gap) {
  for (uint32_t next = (gap + 1) & mask_; index_[next] != kNoEntry; next = (next + 1) & mask_) {
    const uint32_t home = hash(entries_[index_[next]].object) & mask_;
    if (((next - home) & mask_) >= ((next - gap) & mask_)) {
      index_[gap] = index_[next];
      gap = next;
    }
  }
  index_[gap] = kNoEntry;
}

bool ObjectTable::grow() {
  constexpr uint32_t kFirst = 1024;
  const uint32_t size = std::max(kFirst, (mask_ + 1) * 2);
  std::unique_ptr<Entry[]> entries(new (std::nothrow) Entry[size / 2 + 1]);
  std::unique_ptr<uint32_t[]> index(new (std::nothrow) uint32_t[size]());
  if (entries == nullptr || index == nullptr) {
    return false;
  }
  std::copy_n(entries_, used_ + 1, entries.get());
  if (entries_ != &no_entry_) {
    delete[] entries_;
    delete[] index_;
  }
  entries_ = entries.release();
  index_ = index.release();
  mask_ = size - 1;
  for (uint32_t entry = 1; entry <= used_; ++entry) {
    index_[slotOf(entries_[entry].object)] = entry;
  }
  return true;
}

} // namespace commtap
