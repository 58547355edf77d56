// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstring>

#include <ATen/core/ivalue.h>

#include "tracker/torch_compat.h"

namespace commtap {

/// The same for all objects of one class, and for no other: where its virtual functions are.
inline const void* markOf(const torch::CustomClassHolder& object) {
  const void* mark = nullptr;
  std::memcpy(static_cast<void*>(&mark), static_cast<const void*>(&object), sizeof(mark));
  return mark;
}

/// The C++ object of class T that an argument holds, such as a process group; nullptr if it holds anything else.
/// IValue::toCustomClass does the same and takes ten times as long: it looks the class up by name, counts references,
/// and throws.
template <typename T>
const T* customClassOf(const c10::IValue& value) {
  static const c10::Type* const expected = c10::getCustomClassType<c10::intrusive_ptr<T>>().get();
  static std::atomic<const void*> known_mark{nullptr};
  if (!value.isObject()) {
    return nullptr;
  }
  const c10::ivalue::Object& object = value.toObjectRef();
  if (object.slots().size() != 1 || !object.slots()[0].isCapsule()) {
    return nullptr;
  }
  const torch::CustomClassHolder* held = compat::contentOf(object.slots()[0]);
  const void* mark = held == nullptr ? nullptr : markOf(*held);
  if (mark == nullptr || mark != known_mark.load(std::memory_order_relaxed)) {
    if (object.type().get() != expected) {
      return nullptr;
    }
    known_mark.store(mark, std::memory_order_relaxed);
  }
  return static_cast<const T*>(held);
}

} // namespace commtap
