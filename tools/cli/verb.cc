// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/verb.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace commtap {
namespace {

/// Returns whether an argument is the name of an option whose value follows.
bool isValueOption(const Verb& verb, const std::string& argument) {
  return std::any_of(verb.options.begin(), verb.options.end(), [&argument](const Option& option) {
    return option.names == argument && !placeholderOf(option).empty();
  });
}

/// Returns the first argument that is neither an option nor the value of one.
size_t optionsEnd(const Verb& verb, const std::vector<std::string>& arguments) {
  size_t at = 0;
  while (at < arguments.size() && arguments[at] != "--" && arguments[at].starts_with('-')) {
    at += isValueOption(verb, arguments[at]) ? 2 : 1;
  }
  return std::min(at, arguments.size());
}

} // namespace

OptionTable operator+(OptionTable first, OptionTable second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
  return first;
}

bool isArgument(const Option& option) {
  return !option.names.starts_with('-');
}

std::vector<std::string> namesOf(const Option& option) {
  if (isArgument(option)) {
    return {};
  }
  const size_t comma = option.names.find(',');
  return comma == std::string_view::npos
             ? std::vector<std::string>{std::string(option.names)}
             : std::vector{std::string(option.names.substr(0, comma)), std::string(option.names.substr(comma + 1))};
}

std::string placeholderOf(const Option& option) {
  const bool lists_words = option.value.empty() && !isArgument(option);
  return lists_words ? fmt::format("{}", fmt::join(option.words, "|")) : std::string(option.value);
}

const Verb* verbNamed(const Verb& program, const std::string& name) {
  const auto verb =
      std::find_if(program.verbs.begin(), program.verbs.end(), [&name](const Verb& each) { return each.name == name; });
  return verb == program.verbs.end() ? nullptr : &*verb;
}

std::vector<Verb> shownVerbs(const Verb& program) {
  std::vector<Verb> verbs;
  std::copy_if(program.verbs.begin(), program.verbs.end(), std::back_inserter(verbs), [](const Verb& verb) {
    return !verb.group.empty();
  });
  return verbs;
}

SplitArguments splitArguments(const Verb& verb, const std::vector<std::string>& arguments) {
  if (verb.command == Command::kNone) {
    return {arguments};
  }
  const auto border = verb.command == Command::kAfterDashes
                          ? std::find(arguments.begin(), arguments.end(), "--")
                          : arguments.begin() + static_cast<std::ptrdiff_t>(optionsEnd(verb, arguments));
  const bool is_marked = border != arguments.end() && *border == "--";
  return {{arguments.begin(), border}, {border + (is_marked ? 1 : 0), arguments.end()}};
}

} // namespace commtap
