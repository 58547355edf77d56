// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace commtap {

/// An autograd node: the thread that made it, and its sequence number there.
struct NodeNumber {
  uint64_t thread = 0;
  uint64_t number = 0;
  bool operator==(const NodeNumber&) const = default;
};

/// The models with which compiled functions were called, by the autograd node of the graph: the backward of a function
/// has no variables to read them from. Also holds modules below them that have another name too. Keeps the last kMost.
/// The owner guards it.
class ForwardRoots {
 public:
  static constexpr size_t kMost = 4096;

  /// Notes that `root`, as Dynamo names it, was this module in the forward of the node.
  void note(const NodeNumber& node, std::string_view root, uint32_t module);
  /// Returns the module that `root` was.
  std::optional<uint32_t> find(const NodeNumber& node, std::string_view root) const;

 private:
  struct Entry {
    NodeNumber node;
    std::string root{}; ///< "": none
    uint32_t module = 0;
  };

  std::array<Entry, kMost> entries_;
  size_t next_ = 0;
};

} // namespace commtap
