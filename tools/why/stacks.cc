// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/job_verdict.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "report/base/process.h"
#include "tools/why/incident.h"

namespace commtap {
namespace {

constexpr size_t kMostStacks = 8;
constexpr int kNotFound = 127; ///< the shell's status for a command that does not exist

/// Returns the folders of this program, and of the scripts of the Python environment that a wheel put it into: pip puts
/// py-spy there, and PATH has them only in an activated environment.
std::string ownFolders() {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::filesystem::path scripts =
      own / "../../../../../../bin"; // from lib/python3/site-packages/commtap/_native/bin
  return own.string() + ":" + scripts.lexically_normal().string();
}

/// Returns the text as one word of the shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char each : text) {
    word += each == '\'' ? std::string("'\\''") : std::string(1, each);
  }
  return word + "'";
}

} // namespace

void addStacks(Verdict& verdict) {
  for (const HangRank& rank : verdict.ranks) {
    const bool is_here = rank.pid && rank.host == hostName() && !rank.process.empty();
    if (rank.role != RankRole::kCause || !is_here || verdict.stacks.size() == kMostStacks) {
      continue;
    }
    const std::string command = fmt::format("py-spy dump --nonblocking --pid {}", *rank.pid);
    const ShellResult result = runShell("PATH=\"$PATH\":" + quoted(ownFolders()) + " && " + command + " 2>&1", "");
    if (result.status == kNotFound) {
      verdict.problems.emplace_back("--stacks needs py-spy, which is not installed: pip install py-spy");
      return;
    }
    if (result.status != 0) {
      verdict.problems.push_back(fmt::format("{}: {}", command, result.output.substr(0, result.output.find('\n'))));
      continue;
    }
    verdict.stacks.push_back({rank.rank, *rank.pid, command, result.output});
  }
}

} // namespace commtap
