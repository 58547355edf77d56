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

/// Returns the list that exec takes: pointers into `strings`, which must outlive it, and a null.
inline std::vector<char*> execPointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) {
    pointers.push_back(const_cast<char*>(string.c_str())); // exec's signature; exec does not write
  }
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace commtap
