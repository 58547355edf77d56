// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/job/job_summary.h"

namespace commtap {

/// The facts of a command under `commtap run` that its reports lack: it failed without a report, as a job whose ranks
/// never met; processes loaded torch without commtap; the reports do not name it. No other reader takes the file for a
/// report: its name ends in .note.
struct RunNote {
  std::string run_id;
  std::string name; ///< the run's name for people; "" if it has none
  std::vector<std::string> argv;
  uint64_t started_at_ns = 0; ///< CLOCK_REALTIME
  uint64_t ended_at_ns = 0;   ///< CLOCK_REALTIME
  std::optional<int64_t> exit_status;
  std::optional<int64_t> exit_signal;
  bool has_report = false;
  uint64_t missed = 0;      ///< processes that loaded torch without commtap
  std::string first_missed; ///< the first of them
  uint64_t bytes = 0;       ///< of the file
};

inline constexpr std::string_view kNoteSchema = "commtap.note/1";

/// Writes the note into `folder`, which is made if it does not exist. Returns "" or one line.
std::string writeRunNote(const std::string& folder, const RunNote& note);

/// Returns the notes at or below `path`, the newest first. Leaves out files that are no notes.
std::vector<RunNote> runNotes(const std::string& path);

/// Returns the entry of `not_seen` for the processes that loaded torch without commtap.
NotSeenSummary missedEntry(const RunNote& note);

/// Returns "run X (name), started 2026-11-28 03:04:05Z, ended with status 1 and left no report: ...".
std::string noteText(const RunNote& note);

/// Notes which Python has started this program, as the script `commtap` of an installed wheel does, and takes that out
/// of the environment: no child process is to see it. Call once, before other threads start.
void takeOwnPython();

/// Returns that Python; "python3", which is looked for on PATH, if none has started this program.
const std::string& ownPython();

} // namespace commtap
