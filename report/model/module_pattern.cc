// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/module_pattern.h"

#include <algorithm>
#include <vector>

namespace commtap {
namespace {

std::vector<std::string> componentsOf(const std::string& name) {
  std::vector<std::string> components(1);
  for (const char c : name) {
    if (c == '.') {
      components.emplace_back();
    } else {
      components.back() += c;
    }
  }
  return components;
}

std::string joined(const std::vector<std::string>& components) {
  std::string name;
  for (size_t i = 0; i < components.size(); ++i) {
    name += (i == 0 ? "" : ".") + components[i];
  }
  return name;
}

bool isNumber(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::string skeletonOf(const std::string& module) {
  std::vector<std::string> components = componentsOf(module);
  std::replace_if(components.begin(), components.end(), isNumber, "*");
  return joined(components);
}

std::string patternOf(std::span<const std::string> modules) {
  std::vector<std::string> pattern = componentsOf(modules.front());
  for (const std::string& module : modules.subspan(1)) {
    const std::vector<std::string> components = componentsOf(module);
    for (size_t i = 0; i < std::min(pattern.size(), components.size()); ++i) {
      if (pattern[i] != components[i]) {
        pattern[i] = "*";
      }
    }
  }
  return joined(pattern);
}

} // namespace commtap
