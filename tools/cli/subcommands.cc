// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommands.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/text_file.h"
#include "tools/cli/default_folder.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxReadErrors = 10;
constexpr size_t kMaxLine = 2000; ///< bytes of a line on stderr; a message may quote input of any length

} // namespace

CLI::Validator oneOf(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](const std::string& word) {
    const bool known = std::find(words.begin(), words.end(), word) != words.end();
    return known ? std::string() : fmt::format("\"{}\" is not one of {}", word, fmt::join(words, ", "));
  };
  return CLI::Validator(check, "");
}

CLI::Validator between(double least, double most) {
  const auto check = [least, most](const std::string& text) {
    double number = 0;
    if (!CLI::detail::lexical_cast(text, number)) {
      return fmt::format("\"{}\" is not a number", text);
    }
    if (number >= least && number <= most) {
      return std::string();
    }
    return std::isinf(most) ? fmt::format("{} is less than {}", text, least)
                            : fmt::format("{} is not between {} and {}", text, least, most);
  };
  return CLI::Validator(check, "");
}

CLI::Validator atLeast(double least) {
  return between(least, HUGE_VAL);
}

void addPath(CLI::App& verb, const char* name, std::string& path, const char* help) {
  verb.add_option(name, path, help)->required()->type_name("");
}

void addReadPath(CLI::App& verb, const char* name, std::string& path, const char* help) {
  verb.add_option(name, path, fmt::format("{}; default: that of COMMTAP_OUT, else commtap-out", help))->type_name("");
  verb.parse_complete_callback([&path] {
    if (path.empty()) {
      path = saidDefaultFolder();
    }
  });
}

std::string saidDefaultFolder() {
  std::string folder = defaultFolder();
  if (access(folder.c_str(), F_OK) == 0) { // else the verb says that it does not exist
    say("reading " + folder);
  }
  return folder;
}

void addFormat(CLI::App& verb, std::string& format, std::vector<std::string> words) {
  CLI::Option* option = verb.add_option("--format", format, "Default: " + words.front());
  option->type_name(fmt::format("{}", fmt::join(words, "|")));
  option->check(oneOf(std::move(words)));
}

void addSelection(CLI::App& verb, JobSelection& selection) {
  verb.add_option(
          "--run",
          selection.run_id,
          "The run to read if a folder has several: its id, a part of it, or its name; default: the newest")
      ->type_name("ID");
  verb.add_option(
          "--attempt", selection.attempt, "The attempt to read if torchrun restarted the job; default: the last")
      ->type_name("N");
}

void addInputLimit(CLI::App& verb) {
  verb.add_option_function<uint64_t>(
          "--max-file-size",
          setMaxInputSize,
          "Reject files that take more memory to read, for example 4GiB; default: 1GiB")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false).description(""));
}

void addTolerances(CLI::App& verb, std::vector<std::string>& rules) {
  verb.add_option(
          "--tolerance", rules, "Accept differences: bytes=5%, or for some rows: kind=all_to_all,module=**.moe,count=1")
      ->type_name("RULE")
      ->allow_extra_args(false)
      ->take_all();
}

void addRenames(CLI::App& verb, std::vector<std::string>& renames) {
  verb.add_option(
          "--rename",
          renames,
          "Rename parts of module names before comparing: base_layer=, or Peft.base_model.model=Llama")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false)
      ->take_all();
}

void addWords(
    CLI::App& verb,
    const char* name,
    std::vector<std::string>& chosen,
    const char* help,
    std::vector<std::string> words) {
  CLI::Option* option = verb.add_option(name, chosen, help);
  option->type_name(fmt::format("{}", fmt::join(words, "|")))->allow_extra_args(false)->take_all();
  option->check(oneOf(std::move(words)));
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

bool isThere(const std::string& path) {
  const bool found = access(path.c_str(), F_OK) == 0;
  if (!found) {
    say(path + " does not exist: give a report, a ledger, or the folder that commtap wrote to");
  }
  return found;
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

} // namespace commtap
