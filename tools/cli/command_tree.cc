// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/command_tree.h"

#include <algorithm>
#include <memory>

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

/// Joins the lines of a paragraph into one.
std::string unbroken(std::string paragraph) {
  std::replace(paragraph.begin(), paragraph.end(), '\n', ' ');
  return paragraph;
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
  if (is_argument) {
    facts.value = option.get_name();
  }
  return facts;
}

/// Reads the paragraphs "Exit status: ..." and "Example: ..." of a subcommand's footer.
void readFooter(const std::string& footer, SubcommandInfo& facts) {
  const std::string status = "Exit status: ";
  for (const std::string& paragraph : split(footer, "\n\n")) {
    if (paragraph.starts_with(status)) {
      facts.exit_status = unbroken(paragraph.substr(status.size()));
    } else if (paragraph.starts_with("Example")) {
      for (const std::string& line : split(paragraph, "\n")) {
        if (line.starts_with("  ")) {
          facts.examples.push_back(line.substr(2));
        }
      }
    } else {
      facts.about += (facts.about.empty() ? "" : "\n\n") + unbroken(paragraph);
    }
  }
}

SubcommandInfo factsOf(const CLI::App& verb) {
  SubcommandInfo facts;
  facts.name = verb.get_name();
  facts.help = verb.get_description();
  const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(verb.get_formatter());
  const std::string usage = formatter ? formatter->make_usage(&verb, "") : "";
  const std::string title = "Usage: "; // written by setUsage()
  facts.usage = usage.substr(std::min(usage.size(), title.size()));
  facts.usage.erase(facts.usage.find_last_not_of('\n') + 1);
  readFooter(verb.get_footer(), facts);
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
