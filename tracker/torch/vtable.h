// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace commtap {

/// Returns where the compiler looks for a virtual function in the vtable: the index behind the two words for the class.
/// The Itanium C++ ABI keeps the offset in the pointer to the member function; its first word is odd except on ARM.
template <typename MemberFunction>
size_t vtableSlot(MemberFunction function) {
  struct {
    uintptr_t offset;
    ptrdiff_t adjustment;
  } parts;
  static_assert(sizeof(parts) == sizeof(function));
  std::memcpy(&parts, &function, sizeof(parts));
  return (parts.offset & ~uintptr_t{1}) / sizeof(void*);
}

/// Returns the function in a slot. `vtable` is the value of the vtable's symbol.
inline const void* functionInSlot(const void* const* vtable, size_t slot) {
  constexpr size_t kFirstSlot = 2; // after the offset to the whole object, and the type
  return vtable[kFirstSlot + slot];
}

} // namespace commtap
