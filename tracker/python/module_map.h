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

  /// A few nanoseconds: on every module call.
  uint32_t find(PyObject* module) const {
    const Slot* slots = slots_.data();
    for (size_t slot = hash(module);; ++slot) {
      const Slot& at = slots[slot & mask_];
      if (at.module == module) {
        return at.id;
      }
      if (at.module == nullptr) {
        return kUnknown;
      }
    }
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
  };

  size_t hash(PyObject* module) const {
    return static_cast<size_t>((reinterpret_cast<uintptr_t>(module) >> 4U) * 0x9e3779b97f4a7c15U >> 20U);
  }
  void insert(PyObject* module, uint32_t id);
  void remove(PyObject* module);
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(1); ///< open addressing, a power of two, at most half full
  size_t mask_ = 0;
  size_t used_ = 0;
  std::unordered_map<PyObject*, PyObject*> module_of_reference_;
  std::unordered_map<uint32_t, PyObject*> object_of_id_;
  PyObject* callback_ = nullptr;
};

} // namespace commtap
