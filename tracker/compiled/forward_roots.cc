// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/forward_roots.h"

namespace commtap {

void ForwardRoots::note(const NodeNumber& node, std::string_view root, uint32_t module) {
  if (root.empty() || find(node, root) == module) { // each collective of the graph says the same
    return;
  }
  entries_[next_] = {node, std::string(root), module};
  next_ = (next_ + 1) % kMost;
}

/// Looks at the newest first: a backward follows its forward closely.
std::optional<uint32_t> ForwardRoots::find(const NodeNumber& node, std::string_view root) const {
  for (size_t i = 1; i <= kMost; ++i) {
    const Entry& entry = entries_[(next_ + kMost - i) % kMost];
    if (entry.root.empty()) {
      return std::nullopt;
    }
    if (entry.node == node && entry.root == root) {
      return entry.module;
    }
  }
  return std::nullopt;
}

} // namespace commtap
