// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace commtap {

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
