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
    const Slot& slot = slots_[slotOf(object)];
    return slot.object == nullptr ? kCommtapUnknownModule : slot.id;
  }

  /// A module that is called, and the one that is probably called next.
  struct Call {
    uint32_t id;
    uint32_t next_id; ///< of any module, if it is not known
  };
  /// find(), on every module call. Models call their modules in one order over and over, so that each slot knows which
  /// was called after it, and that is looked at first. Between two calls of a module the caches have held all that it
  /// computes with: the slot after the next one is fetched meanwhile, since to wait for it would take longer than all
  /// else of a call.
  Call call(const void* object) {
    if (slots_[expected_].object != object) {
      const uint32_t slot = slotOf(object);
      if (slots_[slot].object == nullptr) {
        return {kCommtapUnknownModule, 0};
      }
      slots_[last_called_].next = slot;
      expected_ = slot;
    }
    last_called_ = expected_;
    const Slot& called = slots_[last_called_];
    const Slot& next = slots_[called.next];
    expected_ = called.next;
    __builtin_prefetch(&slots_[next.next]);
    return {called.id, next.id};
  }

  /// Replaces what was known of the object. False without memory: it is then not kept.
  bool insert(const void* object, uint32_t id);

  /// The id that the object had; kCommtapUnknownModule for one that was not there.
  uint32_t remove(const void* object);

 private:
  struct Slot {
    const void* object = nullptr;
    uint32_t id = 0;
    uint32_t next = 0; ///< the slot that was called after this one; of any, if that has moved
  };

  /// Where the object is, or where it would be.
  uint32_t slotOf(const void* object) const {
    uint32_t slot = hash(object) & mask_;
    while (slots_[slot].object != object && slots_[slot].object != nullptr) {
      slot = (slot + 1) & mask_;
    }
    return slot;
  }
  static uint32_t hash(const void* object) {
    return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(object) >> 4U) * 0x9e3779b97f4a7c15U >> 20U);
  }
  bool grow();

  static constinit Slot nothing_; ///< the only slot of an empty table

  Slot* slots_ = &nothing_; ///< owned but for `nothing_`; open addressing, a power of two, at most half full
  uint32_t mask_ = 0;
  uint32_t used_ = 0;
  uint32_t last_called_ = 0; ///< a slot, as the next one
  uint32_t expected_ = 0;
};

} // namespace commtap
