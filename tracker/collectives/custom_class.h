// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstring>
#include <vector>

#include <ATen/core/ivalue.h>

#include "tracker/core/torch_compat.h"

namespace commtap {

/// The same for all objects of one class, and for no other: where its virtual functions are.
inline const void* markOf(const torch::CustomClassHolder& object) {
  const void* mark = nullptr;
  std::memcpy(static_cast<void*>(&mark), static_cast<const void*>(&object), sizeof(mark));
  return mark;
}

/// What an object of TorchScript's that stands for a C++ object holds; nullptr for every other value.
inline const torch::CustomClassHolder* heldBy(const c10::IValue& value) {
  if (!value.isObject()) {
    return nullptr;
  }
  const std::vector<c10::IValue>& slots = value.toObjectRef().slots();
  const bool is_capsule = slots.size() == 1 && slots.front().isCapsule();
  return is_capsule ? compat::contentOf(slots.front()) : nullptr;
}

/// TorchScript's word for it, which is a search.
template <typename T>
[[gnu::noinline]] bool isOfClass(const c10::IValue& object) {
  static const c10::Type* const expected = c10::getCustomClassType<c10::intrusive_ptr<T>>().get();
  return object.toObjectRef().type().get() == expected;
}

/// The C++ object of class T that an argument holds, such as a process group; nullptr if it holds anything else.
/// IValue::toCustomClass does the same and takes ten times as long: it looks the class up by name, counts references,
/// and throws.
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
