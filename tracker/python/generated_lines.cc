// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/generated_lines.h"

#include <algorithm>
#include <utility>

#include "tracker/python/graph_nodes.h"

namespace commtap {
namespace {

/// Returns whether a line calls an operator that is not one of tensor math. Most lines of a file call none.
bool callsOperator(std::string_view line) {
  constexpr std::string_view kOperators = "torch.ops.";
  for (size_t at = line.find(kOperators); at != std::string_view::npos; at = line.find(kOperators, at + 1)) {
    const std::string_view name = line.substr(at + kOperators.size());
    if (!name.starts_with("aten.") && !name.starts_with("prims.") && !name.starts_with("inductor.")) {
      return true;
    }
  }
  return false;
}

TextLines::const_iterator firstWithText(const TextLines& lines) {
  return std::find_if(lines.begin(), lines.end(), [](std::string_view line) { return !line.empty(); });
}

/// `from` and `to` count from 1; `to` is not one of them.
bool anyCallsOperator(const TextLines& lines, long from, long to) {
  const auto at = [&lines](long line) { return lines.begin() + std::min(line - 1, static_cast<long>(lines.size())); };
  return std::any_of(at(from), at(to), callsOperator);
}

} // namespace

TextLines linesOf(std::string_view text) {
  TextLines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const size_t begin = std::min(text.find_first_not_of(' '), end);
    lines.push_back(text.substr(begin, end - begin));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

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
    if (from > 0 && to > from && anyCallsOperator(lines, from, to)) {
      found.push_back({from, to - 1, placeOfNode(PyTuple_GET_ITEM(pair, 1))});
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
