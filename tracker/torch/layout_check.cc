// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/torch/layout_check.h"

#include <algorithm>

namespace commtap {
namespace {

/// Returns a text for a message: its beginning, without line breaks.
std::string shown(std::string_view text) {
  constexpr size_t kMost = 120;
  std::string line(text.substr(0, kMost));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

} // namespace

bool LayoutCheck::same(std::string_view fact, std::string_view read, std::string_view stated) {
  if (difference_.empty() && read != stated) {
    difference_ = object_ + ": the " + std::string(fact) + " is " + shown(stated) + " and reads as " + shown(read);
  }
  return difference_.empty();
}

} // namespace commtap
