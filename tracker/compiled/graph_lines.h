// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// Where a collective of a compiled graph comes from.
struct GraphPlace {
  bool backward = false;              ///< the node is a backward's, made for a module's forward
  std::vector<std::string> sources{}; ///< the modules, as Dynamo names them: "L['self'].layers.0"; several if merged
  std::vector<uint64_t> sizes{};      ///< of the parts that were merged, by source, in any unit; empty if not known
};

/// Returns the place that a text describes: "f" or "b", which the sizes may follow, separated by spaces; and the
/// sources, separated by tabs. Returns nullopt for any other text.
std::optional<GraphPlace> parsePlace(std::string_view text);

/// The places of a generated file's collectives, one per line: the first and the last line of the file that the place
/// is of, and the place, separated by tabs.
class GraphLines {
 public:
  static constexpr size_t kMaxBytes = size_t{4} << 20U; ///< of a text that is read

  /// Returns nullopt if the text is not such a text, whole.
  static std::optional<GraphLines> parse(std::string_view text);

  /// Returns the place of a line of the file; nullopt if the text has none.
  std::optional<GraphPlace> at(uint32_t line) const;

 private:
  struct Range {
    uint32_t first;
    uint32_t last;
    GraphPlace place;
  };

  std::vector<Range> ranges_;
};

} // namespace commtap
