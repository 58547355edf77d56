// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/generated_lines.h"

#include <algorithm>
#include <utility>

#include "tracker/python/graph_nodes.h"

namespace commtap {
namespace {

/// Returns whether some line calls an operator that is not one of tensor math. Most lines of a file call none.
bool callsOperator(std::string_view text) {
  constexpr std::string_view kOperators = "torch.ops.";
  for (size_t at = text.find(kOperators); at != std::string_view::npos; at = text.find(kOperators, at + 1)) {
    const std::string_view name = text.substr(at + kOperators.size());
    if (!name.starts_with("aten.") && !name.starts_with("prims.") && !name.starts_with("inductor.")) {
      return true;
    }
  }
  return false;
}

/// Walks the lines of a text in order.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  /// Returns the text from line `from` up to line `to`, which is not before that of the last call.
  std::string_view between(long from, long to) {
    const size_t begin = offsetOf(from);
    return text_.substr(begin, offsetOf(to) - begin);
  }

 private:
  size_t offsetOf(long line) {
    for (; line_ < line && at_ < text_.size(); ++line_) {
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    }
    return at_;
  }

  std::string_view text_;
  long line_ = 1;
  size_t at_ = 0; ///< where line_ begins
};

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const size_t begin = std::min(text.find_first_not_of(' '), end);
    lines.push_back(text.substr(begin, end - begin));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view>::const_iterator firstWithText(const std::vector<std::string_view>& lines) {
  return std::find_if(lines.begin(), lines.end(), [](std::string_view line) { return !line.empty(); });
}

} // namespace

std::vector<PlacedLines> placedLines(PyObject* line_map, std::string_view code) {
  constexpr long kLinesOfLastNode = 100; // at most; nothing says where they end
  std::vector<PlacedLines> found;
  Lines lines(code);
  const Py_ssize_t count = PyList_GET_SIZE(line_map);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const pair = PyList_GET_ITEM(line_map, i);
    PyObject* const next = i + 1 < count ? PyList_GET_ITEM(line_map, i + 1) : nullptr;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 || (next != nullptr && !PyTuple_Check(next))) {
      return {};
    }
    const long from = PyLong_AsLong(PyTuple_GET_ITEM(pair, 0));
    const long to = next == nullptr ? from + kLinesOfLastNode : PyLong_AsLong(PyTuple_GET_ITEM(next, 0));
    if (from > 0 && to > from && callsOperator(lines.between(from, to))) {
      found.push_back({from, to - 1, placeOfNode(PyTuple_GET_ITEM(pair, 1))});
    }
  }
  return found;
}

GeneratedFunction::GeneratedFunction(std::string code, std::vector<PlacedLines> lines)
    : code_(std::move(code)), lines_(std::move(lines)) {}

std::vector<PlacedLines> GeneratedFunction::in(std::string_view file) const {
  const std::vector<std::string_view> mine =
      linesOf(std::string_view(code_).substr(0, code_.find_last_not_of(" \n") + 1));
  const std::vector<std::string_view> all = linesOf(file);
  const auto first = firstWithText(mine);
  const auto found = std::search(all.begin(), all.end(), first, mine.end());
  if (first == mine.end() || found == all.end() || std::search(found + 1, all.end(), first, mine.end()) != all.end()) {
    return {};
  }
  const long shift = static_cast<long>(found - all.begin()) - static_cast<long>(first - mine.begin());
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
