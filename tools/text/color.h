// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace commtap {

/// Colours text or leaves it plain, decided once per stream.
class Color {
 public:
  /// Enables colour only if `fd` is a terminal with colours and NO_COLOR is not set (no-color.org).
  static Color forStream(int fd);
  static Color none() {
    return Color(Use::kNever);
  }
  static Color always() {
    return Color(Use::kAlways);
  }

  std::string bold(std::string_view text) const {
    return wrap("1", text);
  }
  std::string dim(std::string_view text) const {
    return wrap("2", text);
  }
  std::string warning(std::string_view text) const {
    return wrap("1;33", text);
  }
  /// Marks a line that needs a person now.
  std::string alarm(std::string_view text) const {
    return wrap("1;31", text);
  }

 private:
  enum class Use : bool { kNever, kAlways };

  explicit Color(Use use) : use_(use) {}

  std::string wrap(std::string_view code, std::string_view text) const;

  Use use_;
};

} // namespace commtap
