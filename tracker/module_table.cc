// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/module_table.h"

#include <algorithm>
#include <new>

namespace commtap {

constinit ModuleTable::Slot ModuleTable::nothing_;

bool ModuleTable::insert(const void* object, uint32_t id) {
  if ((used_ + 1) * 2 > mask_ + 1 && !grow()) {
    return false;
  }
  Slot& slot = slots_[slotOf(object)];
  used_ += slot.object == nullptr ? 1 : 0;
  slot = {object, id};
  return true;
}

/// Closes the gap, so that no search stops early: linear probing without tombstones.
uint32_t ModuleTable::remove(const void* object) {
  uint32_t gap = slotOf(object);
  if (slots_[gap].object == nullptr) {
    return kCommtapUnknownModule;
  }
  const uint32_t id = slots_[gap].id;
  for (uint32_t next = (gap + 1) & mask_; slots_[next].object != nullptr; next = (next + 1) & mask_) {
    const uint32_t home = hash(slots_[next].object) & mask_;
    if (((next - home) & mask_) >= ((next - gap) & mask_)) {
      slots_[gap] = slots_[next];
      gap = next;
    }
  }
  slots_[gap] = {};
  --used_;
  return id;
}

bool ModuleTable::grow() {
  constexpr uint32_t kFirst = 1024;
  const uint32_t old_size = mask_ + 1;
  const uint32_t size = std::max(kFirst, old_size * 2);
  auto* slots = new (std::nothrow) Slot[size];
  if (slots == nullptr) {
    return false;
  }
  Slot* const old = slots_;
  slots_ = slots;
  mask_ = size - 1;
  used_ = last_called_ = expected_ = 0;
  for (uint32_t slot = 0; slot < old_size; ++slot) {
    if (old[slot].object != nullptr) {
      insert(old[slot].object, old[slot].id);
    }
  }
  if (old != &nothing_) {
    delete[] old;
  }
  return true;
}

} // namespace commtap
