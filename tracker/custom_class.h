// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ATen/core/ivalue.h>

namespace commtap {

/// The C++ object of class T that an argument holds, such as a process group; nullptr if it holds anything else.
/// IValue::toCustomClass does the same and takes five times as long: it looks the class up by name and throws.
template <typename T>
const T* customClassOf(const c10::IValue& value) {
  static const c10::Type* const expected = c10::getCustomClassType<c10::intrusive_ptr<T>>().get();
  if (!value.isObject()) {
    return nullptr;
  }
  const c10::ivalue::Object& object = value.toObjectRef();
  if (object.slots().size() != 1 || object.type().get() != expected || !object.slots()[0].isCapsule()) {
    return nullptr;
  }
  return static_cast<const T*>(object.slots()[0].toCapsule().get());
}

} // namespace commtap
