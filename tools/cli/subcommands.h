// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/base/result.h"
#include "report/compare/module_renames.h"
#include "report/compare/tolerance.h"
#include "report/runs/report_scan.h"
#include "tools/cli/verb.h"

namespace commtap {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFindings = 1; ///< findings; input that is there but unreadable or empty; output not written
inline constexpr int kExitUsage = 2;    ///< wrong usage, or PATH, run, attempt or rank does not exist

/// Returns an option that several verbs share. A path defaults to the folder that jobs write to (defaultFolder()),
/// which is then said on stderr; the first of `words` is the default.
Option readPath(const char* name, std::string& path, const std::string& help);
Option formatOption(std::string& format, std::vector<std::string> words);
/// `schema`: of the document, "commtap-diff-1". `excludes`: other formats.
Option jsonOption(bool& json, std::string_view schema, std::vector<std::string_view> excludes = {});
Option runOption(Target run);
OptionTable selectionOptions(JobSelection& selection);
Option toleranceOption(std::vector<std::string>& rules);
Option renameOption(std::vector<std::string>& renames);
/// Returns defaultFolder(), and says on stderr that it is read.
std::string saidDefaultFolder();

/// Appends the parsed `texts` to `rules`. Returns "" or one line about the first invalid rule.
std::string readTolerances(const std::vector<std::string>& texts, std::vector<Tolerance>& rules);
/// Appends the parsed `texts` to `renames`. Returns "" or one line about the first invalid one.
std::string readRenames(const std::vector<std::string>& texts, std::vector<ModuleRename>& renames);

/// Writes one line to stderr: "commtap: ...". Leaves out the middle of a long line.
void say(const std::string& line);
/// Writes each line to stderr as "commtap: ..."; shortens a long list to its first lines.
void sayAll(const std::vector<std::string>& lines);

/// Thrown to end a verb from wherever it is, after it has said why: runCommandLine() returns the exit status.
struct VerbEnd : std::exception {
  explicit VerbEnd(int status) : exit_status(status) {}
  int exit_status;
};
/// Says a line and ends the verb.
[[noreturn]] void endVerb(const std::string& line, int exit_status = kExitUsage);
/// Says a line and ends the verb, unless the line is "": nothing is wrong.
void endIf(const std::string& line, int exit_status = kExitUsage);
/// Returns the value. Without one says the error, with `before` before it, and ends the verb.
template <typename Value>
Value orEnd(Result<Value> result, int exit_status = kExitUsage, const std::string& before = "") {
  if (!result) {
    endVerb(before + result.error(), exit_status);
  }
  return std::move(*result);
}
/// Ends the verb if nothing exists at its PATH argument.
void mustExist(const std::string& path);

/// Writes all of `text` to stdout. Returns kExitFindings, and writes a line to stderr, on failure, as on a full disk.
int printOut(const std::string& text);

/// Returns the folder that the jobs of this environment write to: that of COMMTAP_OUT, up to its first component that
/// differs between processes or runs, or "commtap-out".
std::string defaultFolder();

/// Shows a progress bar and the time since its start on stderr after a delay, if stderr is a terminal.
class ProgressBar {
 public:
  /// `what` is done: "reading".
  ProgressBar(const char* what, std::chrono::milliseconds delay);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Erases the bar.
  ~ProgressBar();

  void update(size_t done, size_t total);

 private:
  using Clock = std::chrono::steady_clock;

  const char* what_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point started_;
  Clock::time_point next_;
};

/// Runs `read` with a progress bar and erases the bar before it returns.
template <typename Read>
auto withProgress(
    Read read,
    const char* what = "reading",
    std::chrono::milliseconds delay = std::chrono::milliseconds(1000)) {
  ProgressBar bar(what, delay);
  return read([&bar](size_t done, size_t total) { bar.update(done, total); });
}

/// Returns the manual page commtap(1).
std::string manualPage(const std::vector<Verb>& verbs);

/// Returns the text of docs/commands.md.
std::string commandsPage(const std::vector<Verb>& verbs);

/// Returns a script that completes subcommands, options, their values, paths, and commands after `commtap run --`.
std::string bashCompletion(const std::vector<Verb>& verbs);
std::string zshCompletion(const std::vector<Verb>& verbs);
std::string fishCompletion(const std::vector<Verb>& verbs);

} // namespace commtap
