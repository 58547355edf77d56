// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// The origin of a collective of a compiled graph.
struct GraphPlace {
  bool backward = false;              ///< the node is a backward's, made for a module's forward
  std::vector<std::string> sources{}; ///< the modules, as Dynamo names them: "L['self'].layers.0"; several if merged
  std::vector<uint64_t> sizes{};      ///< of the parts that were merged, by source, in any unit; empty if not known
  bool is_known = true;               ///< else only its phase is
  bool has_modules = true; ///< else the graph is a backward, of a function that calls no module or of compiled autograd
  bool runs_eagerly = false;    ///< autograd looks into the graph's code, as for torch.export
  bool is_only_forward = false; ///< nothing is known of what a backward calls there
  /// It is no collective's, but that of the call of a region, which is compiled once for several calls. Its sources are
  /// the module that the region's own places name, and the module that replaces it in this call; none if that is not
  /// known.
  bool is_region = false;
};

/// Returns the place that a text describes: "f", "b" or "o" for forward, backward, or only what is outside of a
/// backward, which the sizes may follow, separated by spaces; and the sources, separated by tabs. "B" is that
/// of a graph without modules. Or "r" for a region, and two sources or none. Returns nullopt for any other text.
std::optional<GraphPlace> parsePlace(std::string_view text);

/// Returns the place of a collective in a call of the region that it is in. Only its phase is known if the call's
/// sources are not, or if it is not below the first of them.
GraphPlace placeInCall(GraphPlace place, const GraphPlace& call);

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
