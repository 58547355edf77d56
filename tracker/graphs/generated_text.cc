// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/generated_text.h"

#include <algorithm>

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

} // namespace commtap
