// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace commtap {

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
