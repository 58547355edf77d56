// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/job_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "report/base/text_file.h"

namespace commtap {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr size_t kMaxShebang = 4096; ///< bytes; the kernel reads less

std::string nameOfFile(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Returns whether a program is called like an interpreter: python, python3, python3.13t, pypy3.
bool isPythonName(const std::string& name) {
  for (const std::string_view start : {"python", "pypy"}) {
    if (name.starts_with(start) && name.find_first_not_of("0123456789.td", start.size()) == std::string::npos) {
      return true;
    }
  }
  return false;
}

bool isProgramFile(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// Splits a line at blanks; a word may be in quotes.
std::vector<std::string> wordsOf(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const bool is_quoted = line.starts_with('"') || line.starts_with('\'');
    const size_t start = is_quoted ? 1 : 0;
    const size_t end = is_quoted ? line.find(line[0], start) : line.find_first_of(kBlanks);
    if (!line.empty()) {
      words.emplace_back(line.substr(start, end - start));
    }
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return words;
}

/// Returns the program that `env` in a first line runs: the first word after its options and variables.
std::string programOfEnv(const std::vector<std::string>& words, const Environment& environment) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with('-') && words[i].find('=') == std::string::npos) {
      return findOnPath(words[i], environment);
    }
  }
  return {};
}

/// Returns the Python that runs a file: the file itself, or the interpreter of a script.
std::string pythonOf(const std::string& path, const Environment& environment) {
  if (path.empty() || isPythonName(nameOfFile(path))) {
    return path;
  }
  const std::string interpreter = interpreterOf(path, environment);
  return isPythonName(nameOfFile(interpreter)) ? interpreter : "";
}

} // namespace

std::string findOnPath(const std::string& name, const Environment& environment) {
  if (name.find('/') != std::string::npos) {
    return isProgramFile(name) ? name : "";
  }
  const std::string folders = environment.get("PATH");
  for (size_t start = 0; start <= folders.size() && !name.empty();) {
    const size_t end = std::min(folders.find(':', start), folders.size());
    const std::string path = (start == end ? "." : folders.substr(start, end - start)) + "/" + name;
    if (isProgramFile(path)) {
      return path;
    }
    start = end + 1;
  }
  return {};
}

std::string interpreterOf(const std::string& path, const Environment& environment) {
  constexpr std::string_view kLongPath = "'''exec' "; // sh runs this line, Python takes it for a string
  std::error_code error;
  const Result<std::string> start = readStartOfFile(std::filesystem::canonical(path, error), kMaxShebang);
  if (!start || !start->starts_with("#!")) {
    return {};
  }
  const std::string_view text = *start;
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view second = text.substr(std::min(end + 1, text.size()));
  if (second.starts_with(kLongPath)) {
    const std::vector<std::string> words =
        wordsOf(second.substr(kLongPath.size(), second.find('\n') - kLongPath.size()));
    return words.empty() ? "" : words[0];
  }
  const std::vector<std::string> words = wordsOf(text.substr(2, end - 2));
  if (words.empty()) {
    return {};
  }
  return nameOfFile(words[0]) == "env" ? programOfEnv(words, environment) : words[0];
}

JobProgram findJobProgram(const std::vector<std::string>& command, const Environment& environment) {
  for (size_t i = 0; i < command.size(); ++i) {
    const bool is_option = i > 0 && command[i].starts_with('-');
    const std::string path = is_option ? "" : findOnPath(command[i], environment);
    if (const std::string python = pythonOf(path, environment); !python.empty()) {
      return {{command.begin(), command.begin() + static_cast<std::ptrdiff_t>(i)}, path, python};
    }
  }
  return {{}, command.empty() ? "" : findOnPath(command[0], environment), ""};
}

} // namespace commtap
