// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// Compares the layout of torch's classes with the one that the tracker was compiled for. The version does not settle
// it: a nightly or a vendor's build can have the number of a release. Each function returns the first difference as one
// line, "" if there is none. None follows a pointer that was found by an offset which is not verified yet. docs/design/
// layout.md lists what is compared, and what is not.

namespace c10d {
class ProcessGroup;
class Work;
} // namespace c10d

namespace commtap {

/// Compares operators, tensors and autograd's nodes. Makes a small tensor; takes no sequence number, random number or
/// lock of the job's.
std::string layoutDifference();

/// Compares the layout of ProcessGroup. Call before any other read of `group`.
std::string layoutDifference(const c10d::ProcessGroup& group);

/// Compares the layout of Work. Call before any other read of `work`.
std::string layoutDifference(const c10d::Work& work);

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

/// Compares facts of one object of torch: as the tracker's code reads them, and as torch states them. Keeps the first
/// difference.
class LayoutCheck {
 public:
  explicit LayoutCheck(std::string_view object) : object_(object) {}

  /// Returns whether this and all earlier facts agree. A fact that depends on another must only be read after that.
  bool same(std::string_view fact, std::string_view read, std::string_view stated);
  template <std::integral Read, std::integral Stated>
  bool same(std::string_view fact, Read read, Stated stated) {
    return same(fact, std::to_string(read), std::to_string(stated));
  }
  bool sameAddress(std::string_view fact, const void* read, const void* stated) {
    return same(fact, reinterpret_cast<uintptr_t>(read), reinterpret_cast<uintptr_t>(stated));
  }
  bool holds(std::string_view fact, bool read) {
    return same(fact, read ? "true" : "false", "true");
  }

  /// Returns "operators: the number of arguments is 3 and reads as 7"; "" if all facts agree. One line.
  const std::string& difference() const {
    return difference_;
  }

 private:
  std::string object_;
  std::string difference_;
};

} // namespace commtap
