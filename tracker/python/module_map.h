// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace commtap {

/// Which live module object has which id. Holds weak references only: a module lives no longer for our sake, and its
/// address may be another's tomorrow. Guarded by the GIL.
class ModuleMap {
 public:
  static constexpr uint32_t kUnknown = 0xffffffffU;
  /// No module of the model's: its calls are its caller's own.
  static constexpr uint32_t kTransparent = 0xfffffffeU;

  uint32_t find(PyObject* module) const {
    const Slot& slot = slots_[slotOf(module)];
    return slot.module == nullptr ? kUnknown : slot.id;
  }

  /// A module that is called, and the one that is probably called next.
  struct Call {
    uint32_t id;
    uint32_t next_id; ///< of any module, if it is not known
  };
  /// find(), a few nanoseconds, on every module call. Models call their modules in one order over and over, and between
  /// two calls of one the caches have held all that it computes with. So each slot knows which was called after it, and
  /// the slot after that is fetched while the model computes: to wait for it would take longer than all else of a call.
  Call call(PyObject* module) {
    const size_t slot = slotOf(module);
    Slot* slots = slots_.data();
    if (slots[slot].module == nullptr) {
      return {kUnknown, 0};
    }
    if (slots[last_called_].next != slot) {
      slots[last_called_].next = static_cast<uint32_t>(slot);
    }
    last_called_ = slot;
    const Slot& next = slots[slots[slot].next];
    __builtin_prefetch(&slots[next.next]);
    return {slots[slot].id, next.id};
  }

  /// False if the object cannot be weakly referenced; it is then not kept.
  bool add(PyObject* module, uint32_t id);

  /// The live module of this id; nullptr if it is gone. Borrowed.
  PyObject* object(uint32_t id) const;

  /// A weak reference has died: the id of its module, which is unknown from now on.
  uint32_t erase(PyObject* weak_reference);

  /// Called with a dead weak reference of this map; must call erase().
  void setDeathCallback(PyObject* callback) {
    callback_ = callback;
  }

 private:
  struct Slot {
    PyObject* module = nullptr;
    uint32_t id = 0;
    uint32_t next = 0; ///< the slot that was called after this one; of any, if that has moved
  };

  /// Where the module is, or where it would be.
  size_t slotOf(PyObject* module) const {
    size_t slot = hash(module) & mask_;
    while (slots_[slot].module != module && slots_[slot].module != nullptr) {
      slot = (slot + 1) & mask_;
    }
    return slot;
  }
  size_t hash(PyObject* module) const {
    return static_cast<size_t>((reinterpret_cast<uintptr_t>(module) >> 4U) * 0x9e3779b97f4a7c15U >> 20U);
  }
  void insert(PyObject* module, uint32_t id);
  void remove(PyObject* module);
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(1); ///< open addressing, a power of two, at most half full
  size_t mask_ = 0;
  size_t used_ = 0;
  size_t last_called_ = 0; ///< a slot
  std::unordered_map<PyObject*, PyObject*> module_of_reference_;
  std::unordered_map<uint32_t, PyObject*> object_of_id_;
  PyObject* callback_ = nullptr;
};

} // namespace commtap
