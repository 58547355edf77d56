// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/stacks.h"

#include <fmt/format.h>

#include "report/base/process.h"
#include "tools/why/shell_command.h"

namespace commtap {
namespace {

constexpr size_t kMostStacks = 8;
constexpr int kNotFound = 127; ///< the shell's status for a command that does not exist

} // namespace

void addStacks(Verdict& verdict) {
  for (const HangRank& rank : verdict.ranks) {
    const bool is_here = rank.pid && rank.host == hostName() && !rank.process.empty();
    if (rank.role != RankRole::kCause || !is_here || verdict.stacks.size() == kMostStacks) {
      continue;
    }
    const std::string command = fmt::format("py-spy dump --nonblocking --pid {}", *rank.pid);
    const ShellResult result = runShell(command + " 2>&1", "");
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
