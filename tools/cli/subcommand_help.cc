// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommand_help.h"

#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

namespace commtap {
namespace {

/// Keeps the texts with the app: CLI11 has no other place for a caller's data.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(SubcommandHelp help) : help_(std::move(help)) {}

  const SubcommandHelp& help() const {
    return help_;
  }

  /// What an option excludes is said when it is given: in the help it would push the text to a line of its own.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) {
      return "";
    }
    const std::string type = option->get_type_name();
    const bool takes_many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    return (type.empty() ? "" : " " + type) + (takes_many ? " ..." : "");
  }

  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: " + help_.usage + "\n";
  }

 private:
  SubcommandHelp help_;
};

std::string exampleText(const std::vector<std::string>& examples) {
  std::string text = examples.size() == 1 ? "Example:" : "Examples:";
  for (const std::string& example : examples) {
    text += "\n  ";
    for (const char c : example) {
      text += c == '\n' ? "\n  " : std::string(1, c);
    }
  }
  return text;
}

std::string footerOf(const SubcommandHelp& help) {
  std::string footer = help.about;
  const auto add = [&footer](const std::string& paragraph) { footer += (footer.empty() ? "" : "\n\n") + paragraph; };
  if (!help.exit_status.empty()) {
    add("Exit status: " + help.exit_status);
  }
  if (!help.examples.empty()) {
    add(exampleText(help.examples));
  }
  return footer;
}

} // namespace

void describe(CLI::App& verb, SubcommandHelp help) {
  if (const std::string footer = footerOf(help); !footer.empty()) { // else CLI11's: that of the app above
    verb.footer(footer);
  }
  auto formatter = std::make_shared<HelpFormatter>(std::move(help));
  constexpr size_t kOptionColumn = 34;
  formatter->column_width(kOptionColumn);
  verb.formatter(formatter);
}

SubcommandHelp helpOf(const CLI::App& verb) {
  const auto formatter = std::dynamic_pointer_cast<HelpFormatter>(verb.get_formatter());
  return formatter ? formatter->help() : SubcommandHelp();
}

} // namespace commtap
