// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/hang/verdict.h"

namespace commtap {

/// How a command ended, and what it wrote to stdout.
struct ShellResult {
  int status = -1; ///< exit status; 128 + the signal's number; -1: it could not be started
  std::string output;
};

/// Runs a command by `sh -c`, with `input` on its stdin, and waits for it. Its stderr is this process's. Blocked
/// signals are not blocked in it.
ShellResult runShell(const std::string& command, const std::string& input);

/// Remembers the hang that was reported. A job that goes on in between makes the next hang a new one.
class Incidents {
 public:
  /// Returns true once per hang: for a verdict that is wrong, failed or stuck, and has another reason, cause or call
  /// than the one that was reported. The end of a job that hung is no new hang. Also returns true when the same event
  /// gets worse, in this order of statuses; `verdict` then gets the status that was reported before.
  bool isNew(Verdict& verdict);

 private:
  std::string reported_; ///< "": none since the job was healthy
  HangStatus status_ = HangStatus::kHealthy;
};

/// The receivers of notifications.
struct Notification {
  std::string command; ///< run by sh with the JSON on stdin; "": none
  std::string webhook; ///< URL to which the JSON is posted; "": none
};

/// Notifies. Returns one line per failure.
std::vector<std::string> notify(const Notification& notification, const Verdict& verdict);

} // namespace commtap
