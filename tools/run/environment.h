// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// The environment of a command to start: "NAME=value" strings in their original order.
class Environment {
 public:
  explicit Environment(const char* const* variables);

  /// Returns "" if the variable is not set.
  std::string get(std::string_view name) const;
  void set(std::string_view name, std::string_view value);
  void unset(std::string_view name);

  const std::vector<std::string>& variables() const {
    return variables_;
  }
  /// Returns an array like `environ`, valid until the next set().
  std::vector<const char*> pointers() const;

 private:
  std::vector<std::string> variables_;
};

} // namespace commtap
