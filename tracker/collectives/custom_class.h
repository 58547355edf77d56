// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstring>
#include <vector>

#include <ATen/core/ivalue.h>

#include "tracker/torch/compat.h"

namespace commtap {

/// Returns the address of the object's virtual function table: equal for all objects of one class, and for no others.
inline const void* markOf(const torch::CustomClassHolder& object) {
  const void* mark = nullptr;
  std::memcpy(static_cast<void*>(&mark), static_cast<const void*>(&object), sizeof(mark));
  return mark;
}

/// Returns the C++ object inside a TorchScript object; nullptr for every other value.
inline const torch::CustomClassHolder* heldBy(const c10::IValue& value) {
  if (!value.isObject()) {
    return nullptr;
  }
  const std::vector<c10::IValue>& slots = value.toObjectRef().slots();
  const bool is_capsule = slots.size() == 1 && slots.front().isCapsule();
  return is_capsule ? compat::contentOf(slots.front()) : nullptr;
}

/// Asks TorchScript, which searches by name.
template <typename T>
[[gnu::noinline]] bool isOfClass(const c10::IValue& object) {
  static const c10::Type* const expected = c10::getCustomClassType<c10::intrusive_ptr<T>>().get();
  return object.toObjectRef().type().get() == expected;
}

/// Returns the C++ object of class T in an argument, such as a process group; nullptr if the argument holds anything
/// else. Unlike IValue::toCustomClass, does not look the class up by name, count references or throw.
template <typename T>
const T* customClassOf(const c10::IValue& value) {
  static constinit std::atomic<const void*> known_mark{nullptr};
  const torch::CustomClassHolder* held = heldBy(value);
  if (held == nullptr) {
    return nullptr;
  }
  const void* mark = markOf(*held);
  if (mark != known_mark.load(std::memory_order_relaxed)) [[unlikely]] {
    if (!isOfClass<T>(value)) {
      return nullptr;
    }
    known_mark.store(mark, std::memory_order_relaxed);
  }
  return static_cast<const T*>(held);
}

} // namespace commtap
