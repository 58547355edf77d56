// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/generated_text.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "tracker/graphs/graph_nodes.h"
#include "tracker/torch/compiler_names.h"

namespace commtap {
namespace {

constexpr std::string_view kOperators = "torch.ops.";

/// Takes the text up to `end` off the front, and `end`; nothing if the text has no `end`.
std::optional<std::string_view> takeUpTo(std::string_view& text, std::string_view end) {
  const size_t size = text.find(end);
  if (size == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size + end.size());
  return taken;
}

std::vector<std::string_view> namesIn(std::string_view list) {
  std::vector<std::string_view> names;
  while (const auto name = takeUpTo(list, ", ")) {
    names.push_back(*name);
  }
  if (!list.empty()) {
    names.push_back(list);
  }
  return names;
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

std::string_view plainOperator(std::string_view name) {
  const size_t name_space = std::min(name.find('.'), name.size());
  name = name.substr(0, name.find_first_of(".(", name_space + 1));
  name.remove_suffix(name.ends_with('_') ? 1 : 0);
  return name;
}

std::string_view operatorIn(std::string_view line) {
  for (size_t at = line.find(kOperators); at != std::string_view::npos; at = line.find(kOperators, at + 1)) {
    const std::string_view name = line.substr(at + kOperators.size());
    if (!name.starts_with("aten.") && !name.starts_with("prims.") && !name.starts_with("inductor.")) {
      return plainOperator(name);
    }
  }
  return {};
}

std::string_view regionIn(std::string_view line) {
  constexpr std::string_view kArguments = "_args)";
  const size_t call = line.find('(');
  if (call == std::string_view::npos || !line.ends_with(kArguments)) {
    return {};
  }
  const std::string_view argument = line.substr(call + 1, line.size() - call - 1 - kArguments.size());
  const size_t begin = line.rfind(' ', call) + 1;
  const std::string_view called = line.substr(begin, call - begin);
  return called == argument ? called : std::string_view();
}

std::optional<SourceNodes> sourceNodesIn(std::string_view line) {
  const auto before = takeUpTo(line, torch_names::kSourceNodes);
  const auto names = before ? takeUpTo(line, torch_names::kSourceOperators) : std::nullopt;
  const auto operators = names ? takeUpTo(line, "]") : std::nullopt;
  if (!operators || !before->starts_with('#')) {
    return std::nullopt;
  }
  return SourceNodes{namesIn(*names), namesIn(*operators), before->ends_with(torch_names::kSortedNodes)};
}

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
