// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/usage_error.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/model/spelling.h"
#include "tools/cli/command_tree.h"

namespace commtap {
namespace {

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view closest = closestName(word, views);
  return closest.empty() ? "" : fmt::format("; did you mean {}?", closest);
}

std::vector<std::string> verbNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const SubcommandInfo& verb : verbsOf(app)) {
    names.push_back(verb.name);
  }
  return names;
}

std::vector<std::string> optionNames(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      names.push_back("-" + name);
    }
  }
  return names;
}

std::string wrongCommand(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = verbNames(app);
  const std::string meant = suggestion(arguments[0], names);
  return fmt::format(
      "\"{}\" is not a command{} commands are {} (see commtap --help)",
      arguments[0],
      meant.empty() ? "; the" : meant + " The",
      fmt::join(names, ", "));
}

const CLI::App* verbNamed(const CLI::App& app, const std::string& name) {
  const auto verbs = app.get_subcommands([&name](const CLI::App* verb) { return verb->get_name() == name; });
  return verbs.empty() ? nullptr : verbs[0];
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

/// Returns the two parts of `text` around `mark`; nullopt if it has none.
std::optional<std::pair<std::string, std::string>> split(const std::string& text, const std::string& mark) {
  const size_t at = text.find(mark);
  return at == std::string::npos ? std::nullopt
                                 : std::optional(std::pair(text.substr(0, at), text.substr(at + mark.size())));
}

/// Says in our words what CLI11 says in its own; text that has another form stays.
std::string inOurWords(const std::string& text) {
  if (const auto parts = split(text, " is required"); parts && parts->second.empty()) {
    return parts->first + " is missing";
  }
  if (const auto parts = split(text, " required "); parts && text.ends_with(" missing")) {
    return parts->first.substr(0, parts->first.find(':')) + " needs a value";
  }
  if (const auto parts = split(text, "Could not convert: "); parts && parts->first.empty()) {
    const auto value = split(parts->second, " = ");
    return value ? fmt::format("{}: \"{}\" is not a number of the right size", value->first, value->second) : text;
  }
  if (const auto parts = split(text, ": At Most 1 required but received ")) {
    return parts->first + " is given more than once";
  }
  if (const auto parts = split(text, " excludes ")) {
    return fmt::format("{} and {} do not go together: leave out one of them", parts->first, parts->second);
  }
  if (const auto parts = split(text, "not expected: ")) {
    return fmt::format("\"{}\" is one argument too many", parts->second);
  }
  return text;
}

} // namespace

std::string unknownNameIn(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) {
    return {};
  }
  const CLI::App* verb = verbNamed(app, arguments[0]);
  if (verb == nullptr) {
    return wrongCommand(app, arguments);
  }
  const std::vector<std::string> names = optionNames(*verb);
  const auto border = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin() + 1; argument != border; ++argument) {
    const std::string name = optionIn(*argument);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      return fmt::format(
          "{} is not an option of commtap {}{} (see commtap {} --help)",
          name,
          verb->get_name(),
          suggestion(name, names),
          verb->get_name());
    }
  }
  return {};
}

std::string usageError(const CLI::App& app, const std::vector<std::string>& arguments, const CLI::ParseError& error) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  return verbs.empty() ? wrongCommand(app, arguments)
                       : fmt::format("{} (see commtap {} --help)", inOurWords(error.what()), verbs[0]->get_name());
}

} // namespace commtap
