// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/usage_error.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "report/model/spelling.h"

namespace commtap {
namespace {

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view closest = closestName(word, views);
  return closest.empty() ? "" : fmt::format("; did you mean {}?", closest);
}

/// Returns the names of all options, the long one of an option first.
std::vector<std::string> optionNames(const Verb& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.options) {
    const std::vector<std::string> own = namesOf(option);
    names.insert(names.end(), own.rbegin(), own.rend());
  }
  return names;
}

/// Returns the name in an argument such as "--format=json" or "-o"; "" for an argument that is no option.
std::string optionIn(const std::string& argument) {
  if (argument.starts_with("--")) {
    return argument.substr(0, argument.find('='));
  }
  const bool is_short =
      argument.size() > 1 && argument[0] == '-' && std::isalpha(static_cast<unsigned char>(argument[1]));
  return is_short ? argument.substr(0, 2) : "";
}

} // namespace

std::string wrongCommand(const Verb& program, const std::string& word) {
  std::vector<std::string> names;
  for (const Verb& verb : shownVerbs(program)) {
    names.push_back(verb.name);
  }
  return fmt::format("\"{}\" is not a command{} (see commtap --help)", word, suggestion(word, names));
}

std::string unknownNameIn(const Verb& program, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) {
    return {};
  }
  const Verb* verb = verbNamed(program, arguments[0]);
  if (verb == nullptr) {
    return wrongCommand(program, arguments[0]);
  }
  const std::vector<std::string> names = optionNames(*verb);
  const auto border = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin() + 1; argument != border; ++argument) {
    const std::string name = optionIn(*argument);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      return fmt::format(
          "{} is not an option of commtap {}{} (see commtap {} --help)",
          name,
          verb->name,
          suggestion(name, names),
          verb->name);
    }
  }
  return {};
}

} // namespace commtap
