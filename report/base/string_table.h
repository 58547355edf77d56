// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace commtap {

/// Numbers distinct strings and stores each once. Number 0 is the empty string.
class StringTable {
 public:
  StringTable() {
    id("");
  }

  uint32_t id(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) {
      return found->second;
    }
    const auto next = static_cast<uint32_t>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), next);
    return next;
  }

  const std::string& text(uint32_t id) const {
    return texts_[id];
  }

 private:
  std::deque<std::string> texts_; ///< a deque never moves its strings, which the keys of ids_ point into
  std::unordered_map<std::string_view, uint32_t> ids_;
};

/// Returns `hash` mixed with the number `next`.
inline size_t mixHash(size_t hash, size_t next) {
  constexpr size_t kMultiplier = 0x9e3779b97f4a7c15;
  hash = (hash ^ next) * kMultiplier;
  return hash ^ hash >> 32U;
}

} // namespace commtap
