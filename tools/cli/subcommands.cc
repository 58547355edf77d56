// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "report/model/options.h"
#include "report/runs/output.h"
#include "tools/text/markup.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxReadErrors = 10;
constexpr size_t kMaxLine = 2000; ///< bytes of a line on stderr; a message may quote input of any length

} // namespace

Option readPath(const char* name, std::string& path, const std::string& help) {
  return {
      .names = name,
      .help = help + "; default: that of COMMTAP_OUT, else commtap-out",
      .to = &path,
      .otherwise = saidDefaultFolder};
}

std::string saidDefaultFolder() {
  std::string folder = defaultFolder();
  if (access(folder.c_str(), F_OK) == 0) { // else the verb says that it does not exist
    say("reading " + folder);
  }
  return folder;
}

Option formatOption(std::string& format, std::vector<std::string> words) {
  std::string help = "Default: " + words.front();
  return {.names = "--format", .help = std::move(help), .to = &format, .words = std::move(words)};
}

Option jsonOption(bool& json, std::string_view schema, std::vector<std::string_view> excludes) {
  return {
      .names = "--json",
      .help = fmt::format("Print JSON: commtap help {}.schema.json", schema),
      .to = &json,
      .excludes = std::move(excludes)};
}

Option runOption(Target run) {
  return {
      .names = "--run",
      .value = "ID",
      .help = "The run to read if a folder has several: its id, a part of it, or its name; default: the newest",
      .to = std::move(run)};
}

OptionTable selectionOptions(JobSelection& selection) {
  return {
      runOption(&selection.run_id),
      {.names = "--attempt",
       .value = "N",
       .help = "The attempt to read if torchrun restarted the job; default: the last",
       .to = &selection.attempt}};
}

Option toleranceOption(std::vector<std::string>& rules) {
  return {
      .names = "--tolerance",
      .value = "RULE",
      .help = "Accept differences: bytes=5%, or for some rows: kind=all_to_all,module=**.moe,count=1",
      .to = &rules};
}

Option renameOption(std::vector<std::string>& renames) {
  return {
      .names = "--rename",
      .value = "OLD=NEW",
      .help = "Rename parts of module names before comparing: base_layer=, or Peft.base_model.model=Llama",
      .to = &renames};
}

std::string readTolerances(const std::vector<std::string>& texts, std::vector<Tolerance>& rules) {
  for (const std::string& text : texts) {
    Result<Tolerance> rule = parseTolerance(text);
    if (!rule) {
      return "--tolerance: " + rule.error();
    }
    rules.push_back(std::move(*rule));
  }
  return {};
}

std::string readRenames(const std::vector<std::string>& texts, std::vector<ModuleRename>& renames) {
  for (const std::string& text : texts) {
    Result<ModuleRename> rename = parseRename(text);
    if (!rename) {
      return "--rename: " + rename.error();
    }
    renames.push_back(std::move(*rename));
  }
  return {};
}

void say(const std::string& line) {
  const bool is_long = line.size() > kMaxLine;
  const std::string text =
      is_long ? line.substr(0, kMaxLine / 2) + " ... " + line.substr(line.size() - kMaxLine / 2) : line;
  fmt::print(stderr, "commtap: {}\n", inert(text));
}

void sayAll(const std::vector<std::string>& lines) {
  for (size_t i = 0; i < lines.size() && i < kMaxReadErrors; ++i) {
    say(lines[i]);
  }
  if (lines.size() > kMaxReadErrors) {
    say(fmt::format("... and {} more such lines", lines.size() - kMaxReadErrors));
  }
}

void endVerb(const std::string& line, int exit_status) {
  say(line);
  throw VerbEnd(exit_status);
}

void endIf(const std::string& line, int exit_status) {
  if (!line.empty()) {
    endVerb(line, exit_status);
  }
}

void mustExist(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) {
    endVerb(path + " does not exist: give a report, a ledger, or the folder that commtap wrote to");
  }
}

int printOut(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    if (errno != EPIPE) { // as of `| head`, which has what it wants
      say(std::string("cannot write to stdout: ") + std::strerror(errno));
    }
    return kExitFindings;
  }
  return kExitOk;
}

std::string defaultFolder() {
  const char* set = std::getenv("COMMTAP_OUT");
  return commonFolder(set == nullptr || *set == '\0' ? Options().out : set);
}

namespace {

constexpr std::chrono::milliseconds kProgressInterval(100);
constexpr size_t kWidth = 40;

} // namespace

ProgressBar::ProgressBar(const char* what, std::chrono::milliseconds delay)
    : what_(what), terminal_(isatty(STDERR_FILENO) == 1), started_(Clock::now()), next_(started_ + delay) {}

ProgressBar::~ProgressBar() {
  if (shown_) {
    fmt::print(stderr, "\r\x1b[K");
  }
}

void ProgressBar::update(size_t done, size_t total) {
  if (!terminal_ || total == 0 || Clock::now() < next_) {
    return;
  }
  next_ = Clock::now() + kProgressInterval;
  shown_ = true;
  const size_t filled = kWidth * done / total;
  fmt::print(
      stderr,
      "\r{} [{}{}] {}/{}, {} s",
      what_,
      std::string(filled, '#'),
      std::string(kWidth - filled, ' '),
      done,
      total,
      std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - started_).count());
  std::fflush(stderr);
}

namespace {

constexpr const char* kSummary = "counts every collective of a PyTorch job by module, phase, op and group";

/// Returns "-o, --output FILE", or the name of an argument.
std::string titleOf(const Option& option) {
  if (isArgument(option)) {
    return std::string(option.names);
  }
  const std::string value = placeholderOf(option);
  return fmt::format("{}{}{}", fmt::join(namesOf(option), ", "), value.empty() ? "" : " ", value);
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

std::string roffVerb(const Verb& verb) {
  std::string text = ".SS " + roffText(verb.usage) + "\n" + roffText(verb.help + ".") + "\n";
  for (const Option& option : verb.options) {
    text += ".TP\n.B " + roffText(titleOf(option)) + "\n" + roffText(option.help) + "\n";
  }
  text += roffParagraphs(unbroken(verb.about));
  text += ".PP\nExit status: " + roffText(unbroken(verb.exit_status)) + "\n";
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

std::string manualPage(const std::vector<Verb>& verbs) {
  std::string text = fmt::format(".TH COMMTAP 1 \"\" \"commtap {}\" \"User Commands\"\n", COMMTAP_VERSION);
  text += ".SH NAME\ncommtap \\- " + roffText(kSummary) + "\n.SH SYNOPSIS\n";
  for (const Verb& verb : verbs) {
    text += ".B " + roffText(verb.usage) + "\n.br\n";
  }
  text += ".SH COMMANDS\n";
  for (const Verb& verb : verbs) {
    text += roffVerb(verb);
  }
  text += ".SH ENVIRONMENT\n";
  for (const OptionRow& row : optionTable()) {
    text += ".TP\n.B " + roffText(row.name) + "\n" + roffText(row.help) + "\n";
  }
  return text;
}

std::string commandsPage(const std::vector<Verb>& verbs) {
  std::string text = "# Commands\n\n<!-- Generated by `./dev docs` from the option tables of the commands. -->\n\n";
  text +=
      "`man commtap` and the `--help` of each command show the same text. Exit status 2 always means wrong usage.\n";
  for (const Verb& verb : verbs) {
    text += fmt::format("\n## `{}`\n\n{}.\n\n", verb.usage, verb.help);
    text += "| option | what it does |\n|---|---|\n";
    for (const Option& option : verb.options) {
      text += fmt::format("| `{}` | {} |\n", cell(titleOf(option)), cell(option.help));
    }
    text += verb.about.empty() ? "" : "\n" + cell(unbroken(verb.about)) + "\n";
    text += fmt::format(
        "\nExit status: {}\n\n```sh\n{}\n```\n", unbroken(verb.exit_status), fmt::join(verb.examples, "\n"));
  }
  return text;
}

} // namespace commtap
