// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/model/options.h"
#include "tools/text/markup.h"

namespace commtap {
namespace {

constexpr const char* kSummary = "counts every collective of a PyTorch job by module, phase, op and group";

std::string titleOf(const OptionFacts& option) {
  std::string title = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.value.empty()) {
    title += (title.empty() ? "" : " ") + option.value;
  }
  return title;
}

/// Returns paragraphs separated by .PP.
std::string roffParagraphs(const std::string& text) {
  std::string roff;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find("\n\n", start), text.size());
    roff += ".PP\n" + roffText(text.substr(start, end - start)) + "\n";
    start = end + 2;
  }
  return roff;
}

std::string roffVerb(const SubcommandInfo& verb) {
  std::string text = ".SS " + roffText(verb.usage) + "\n" + roffText(verb.help + ".") + "\n";
  for (const OptionFacts& option : verb.options) {
    text += ".TP\n.B " + roffText(titleOf(option)) + "\n" + roffText(option.help) + "\n";
  }
  text += roffParagraphs(verb.about);
  text += ".PP\nExit status: " + roffText(verb.exit_status) + "\n";
  text += ".PP\n.EX\n";
  for (const std::string& example : verb.examples) {
    text += roffText(example) + "\n";
  }
  return text + ".EE\n";
}

/// Escapes text for a Markdown table cell or plain Markdown; keeps code spans.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  }
  return escaped;
}

} // namespace

std::string manualPage(const std::vector<SubcommandInfo>& verbs) {
  std::string text = fmt::format(".TH COMMTAP 1 \"\" \"commtap {}\" \"User Commands\"\n", COMMTAP_VERSION);
  text += ".SH NAME\ncommtap \\- " + roffText(kSummary) + "\n.SH SYNOPSIS\n";
  for (const SubcommandInfo& verb : verbs) {
    text += ".B " + roffText(verb.usage) + "\n.br\n";
  }
  text += ".SH VERBS\n";
  for (const SubcommandInfo& verb : verbs) {
    text += roffVerb(verb);
  }
  text += ".SH ENVIRONMENT\n";
  for (const OptionRow& row : optionTable()) {
    text += ".TP\n.B " + roffText(row.name) + "\n" + roffText(row.help) + "\n";
  }
  return text;
}

std::string commandsPage(const std::vector<SubcommandInfo>& verbs) {
  std::string text = "# Commands\n\n<!-- Made from the tables of the command line by `./dev docs`. -->\n\n";
  text +=
      "`man commtap` says the same, and so does each verb's `--help`. In every verb, exit status 2 is wrong usage.\n";
  for (const SubcommandInfo& verb : verbs) {
    text += fmt::format("\n## `{}`\n\n{}.\n\n", verb.usage, verb.help);
    text += "| option | what it does |\n|---|---|\n";
    for (const OptionFacts& option : verb.options) {
      text += fmt::format("| `{}` | {} |\n", cell(titleOf(option)), cell(option.help));
    }
    text += verb.about.empty() ? "" : "\n" + cell(verb.about) + "\n";
    text += fmt::format("\nExit status: {}\n\n```sh\n{}\n```\n", verb.exit_status, fmt::join(verb.examples, "\n"));
  }
  return text;
}

} // namespace commtap
