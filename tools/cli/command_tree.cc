// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/command_tree.h"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "tools/cli/subcommand_help.h"

namespace commtap {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + separator.size();
  }
  return parts;
}

/// Joins the lines of each paragraph into one.
std::string unbroken(const std::string& text) {
  std::string joined;
  for (std::string paragraph : split(text, "\n\n")) {
    std::replace(paragraph.begin(), paragraph.end(), '\n', ' ');
    joined += (joined.empty() ? "" : "\n\n") + paragraph;
  }
  return joined;
}

OptionFacts factsOf(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) {
    facts.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    facts.names.push_back("--" + name);
  }
  facts.value = option.get_expected_max() > 0 ? option.get_type_name() : "";
  if (facts.value.find('|') != std::string::npos) {
    facts.words = split(facts.value, "|");
  }
  facts.help = option.get_description();
  const bool is_argument = facts.names.empty();
  facts.takes_path = is_argument || facts.value == "FILE" || facts.value == "PATH" || facts.value == "folder";
  facts.takes_run = facts.value == "ID";
  if (is_argument) {
    facts.value = option.get_name();
  }
  return facts;
}

SubcommandInfo factsOf(const CLI::App& verb) {
  SubcommandHelp help = helpOf(verb);
  SubcommandInfo facts;
  facts.name = verb.get_name();
  facts.help = verb.get_description();
  facts.usage = std::move(help.usage);
  facts.about = unbroken(help.about);
  facts.exit_status = unbroken(help.exit_status);
  facts.examples = std::move(help.examples);
  for (const CLI::Option* option : verb.get_options()) {
    facts.options.push_back(factsOf(*option));
  }
  return facts;
}

} // namespace

std::vector<SubcommandInfo> verbsOf(const CLI::App& app) {
  std::vector<SubcommandInfo> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) {
      verbs.push_back(factsOf(*verb));
    }
  }
  return verbs;
}

} // namespace commtap
