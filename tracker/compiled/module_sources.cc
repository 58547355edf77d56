// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/module_sources.h"

#include <algorithm>

#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

constexpr std::string_view kEntry = "L['self']";
constexpr std::string_view kClosure = ".__closure__[";
constexpr std::string_view kCell = "].cell_contents";
constexpr std::string_view kBound = ".__self__";

/// Returns the size of what leads from a function to an object that it holds, at the front of a text: a variable of the
/// functions around it, or the object whose method it is. Returns 0 if it begins with neither.
size_t holderSize(std::string_view text) {
  if (text.starts_with(kBound)) {
    return kBound.size();
  }
  const size_t cell = text.starts_with(kClosure) ? text.find(kCell) : std::string_view::npos;
  return cell == std::string_view::npos ? 0 : cell + kCell.size();
}

/// Returns the size of the object that a source begins with: a variable, or what the function in it holds.
size_t rootSize(std::string_view source) {
  size_t size = std::min(source.find(']'), source.size() - 1) + 1;
  while (const size_t held = holderSize(source.substr(size))) {
    size += held;
  }
  return size;
}

/// Takes "['name']", "[0]" or "name" off the front of a source. Returns the name.
std::string_view takeStep(std::string_view& source) {
  const bool is_item = source.front() == '[';
  const size_t end = std::min(is_item ? source.find(']') : source.find_first_of(".["), source.size());
  std::string_view name = source.substr(is_item ? 1 : 0, end - (is_item ? 1 : 0));
  source.remove_prefix(std::min(end + (is_item ? 1 : 0), source.size()));
  if (source.starts_with('.')) {
    source.remove_prefix(1);
  }
  if (name.size() >= 2 && name.front() == name.back() && (name.front() == '\'' || name.front() == '"')) {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

/// Returns whether a step leads to the dict of a module's children, and to no child: Dynamo reads a child so if the
/// module's class has a __getattr__. No child can have these names.
bool isDictOfChildren(std::string_view step) {
  return step == torch_names::kAttributes || step == torch_names::kModules;
}

} // namespace

SourceParts partsOf(std::string_view source) {
  SourceParts parts;
  if (source.starts_with("L[") || source.starts_with("G[")) {
    const size_t size = rootSize(source);
    parts.root = source.substr(0, size);
    parts.is_entry = parts.root == kEntry;
    source.remove_prefix(size);
    source.remove_prefix(source.starts_with('.') ? 1 : 0);
  }
  while (!source.empty()) {
    const std::string_view step = takeStep(source);
    if (!isDictOfChildren(step)) {
      parts.path += parts.path.empty() ? "" : ".";
      parts.path += step;
    }
  }
  return parts;
}

} // namespace commtap
