// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/generated_lines.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "tracker/graphs/graph_nodes.h"
#include "tracker/graphs/graph_regions.h"

namespace commtap {
namespace {

TextLines::const_iterator firstWithText(const TextLines& lines) {
  return std::find_if(lines.begin(), lines.end(), [](std::string_view line) { return !line.empty(); });
}

using SomeLines = std::span<const std::string_view>;

/// Returns the last comment of the lines that names nodes; no nodes if there is none.
SourceNodes sourcesIn(SomeLines lines) {
  std::optional<SourceNodes> sources;
  for (auto line = lines.rbegin(); line != lines.rend() && !sources; ++line) {
    sources = sourceNodesIn(*line);
  }
  return sources.value_or(SourceNodes());
}

/// Returns the place of some lines of the file, which are of a node; "" if they call no collective and no region.
std::string placeOfLines(PyObject* node, SomeLines lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view region = regionIn(lines[i]);
    const std::string_view called = operatorIn(lines[i]);
    if (!(region.empty() && called.empty()) && isRegionCall(node)) {
      return region.empty() ? placeInRegion(node, called, sourcesIn(lines.first(i))) : regionCallBelow(node, region);
    }
    if (!called.empty()) {
      return placeOfNode(node);
    }
  }
  return {};
}

/// Returns the lines `from` to `to`, which count from 1; without the last.
SomeLines between(const TextLines& lines, long from, long to) {
  const auto at = [&lines](long line) { return std::min(static_cast<size_t>(line - 1), lines.size()); };
  return SomeLines(lines).subspan(at(from), at(to) - at(from));
}

} // namespace

std::vector<PlacedLines> placedLines(PyObject* line_map, const TextLines& lines) {
  constexpr long kLinesOfLastNode = 100; // at most; nothing says where they end
  std::vector<PlacedLines> found;
  const Py_ssize_t count = PyList_GET_SIZE(line_map);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const pair = PyList_GET_ITEM(line_map, i);
    PyObject* const next = i + 1 < count ? PyList_GET_ITEM(line_map, i + 1) : nullptr;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 || (next != nullptr && !PyTuple_Check(next))) {
      return {};
    }
    const long from = PyLong_AsLong(PyTuple_GET_ITEM(pair, 0));
    const long to = next == nullptr ? from + kLinesOfLastNode : PyLong_AsLong(PyTuple_GET_ITEM(next, 0));
    PyObject* const node = PyTuple_GET_ITEM(pair, 1);
    if (from <= 0 || to <= from) {
      continue;
    }
    std::string place = placeOfLines(node, between(lines, from, to));
    if (!place.empty()) {
      found.push_back({from, to - 1, std::move(place)});
    }
  }
  return found;
}

GeneratedFunction::GeneratedFunction(PyObject* line_map, std::string code)
    : code_(std::move(code)), lines_(placedLines(line_map, linesOf(code_))) {}

std::vector<PlacedLines> GeneratedFunction::in(const TextLines& file) const {
  const TextLines mine = linesOf(std::string_view(code_).substr(0, code_.find_last_not_of(" \n") + 1));
  const auto first = firstWithText(mine);
  const auto found = std::search(file.begin(), file.end(), first, mine.end());
  if (first == mine.end() || found == file.end() ||
      std::search(found + 1, file.end(), first, mine.end()) != file.end()) {
    return {};
  }
  const long shift = static_cast<long>(found - file.begin()) - static_cast<long>(first - mine.begin());
  std::vector<PlacedLines> moved = lines_;
  for (PlacedLines& lines : moved) {
    lines.first += shift;
    lines.last = std::min(lines.last, static_cast<long>(mine.size())) + shift;
  }
  return moved;
}

std::string graphLines(const std::vector<PlacedLines>& lines) {
  std::string text;
  for (const PlacedLines& each : lines) {
    text += std::to_string(each.first) + "\t" + std::to_string(each.last) + "\t" + each.place + "\n";
  }
  return text;
}

} // namespace commtap
