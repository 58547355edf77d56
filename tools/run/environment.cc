// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/environment.h"

namespace commtap {
namespace {

bool isNamed(std::string_view variable, std::string_view name) {
  return variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=';
}

} // namespace

Environment::Environment(const char* const* variables) {
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    variables_.emplace_back(*variables);
  }
}

std::string Environment::get(std::string_view name) const {
  for (const std::string& variable : variables_) {
    if (isNamed(variable, name)) {
      return variable.substr(name.size() + 1);
    }
  }
  return {};
}

void Environment::set(std::string_view name, std::string_view value) {
  std::string changed = std::string(name) + "=" + std::string(value);
  for (std::string& variable : variables_) {
    if (isNamed(variable, name)) {
      variable = std::move(changed);
      return;
    }
  }
  variables_.push_back(std::move(changed));
}

void Environment::unset(std::string_view name) {
  std::erase_if(variables_, [name](const std::string& variable) { return isNamed(variable, name); });
}

std::vector<const char*> Environment::pointers() const {
  std::vector<const char*> pointers;
  for (const std::string& variable : variables_) {
    pointers.push_back(variable.c_str());
  }
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace commtap
