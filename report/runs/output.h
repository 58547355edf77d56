// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/base/result.h"
#include "report/model/model.h"
#include "report/model/options.h"

namespace commtap {

/// The facts that name a process's report.
struct OutputIdentity {
  std::string host;
  uint64_t pid = 0;
  int64_t rank = -1; ///< -1: none
  std::string run_id;
  int64_t attempt = 0; ///< torchrun's restart count
};

/// Expands %h to the host, %p to the pid, %r to the rank, %j to the run id and %% to %. A process without a rank gets
/// "none". Makes the run id valid in a file name.
std::string expandOutputPattern(const std::string& pattern, const OutputIdentity& identity);

/// Returns the pattern that expands to `folder`.
std::string patternOf(const std::string& folder);

/// Returns the position of the pattern's first component with %h, %p or %r; nullopt if there is none.
std::optional<size_t> startOfVariable(const std::string& pattern);

/// Returns the deepest folder of all reports of a run, for any host, pid and rank. It is `pattern` up to its first
/// component with %h, %p or %r.
std::string commonFolder(const std::string& pattern, const std::string& run_id);

/// Returns the deepest folder of all reports of all runs: `pattern` up to its first component with %h, %p, %r or %j.
std::string commonFolder(const std::string& pattern);

/// Returns the report's name below the output folder, without ".json": "rank-00003", "attempt-1/rank-00003",
/// "pid-HOST-4711" for a process without a rank.
std::string reportName(const OutputIdentity& identity);

/// Returns the file name of the ledger next to the report. It identifies the process, so no two processes share one.
std::string ledgerFileName(const std::string& report_path, const OutputIdentity& identity);

/// Returns the pid in a ledger's file name; nullopt for another host's ledger and for any other file.
std::optional<uint64_t> pidOfLedger(const std::string& name, const std::string& host);

/// How the names of reports end, by the enumerators of Compress.
inline constexpr std::array<std::string_view, 3> kReportEndings = {".json", ".json.gz", ".json.zst"};

inline std::string_view endingOf(Compress how) {
  return kReportEndings.at(static_cast<size_t>(how));
}

/// Returns the `job` of a report in a folder that other users may write to. Reads its first lines; see
/// readStartOfFile().
Result<Job> jobOfReportFile(const std::string& path);

/// Returns the path of a process's report: `folder`/`name``ending`, one of kReportEndings. Adds the pid if a file has
/// that name, with any ending, that is not a report of this process. Adds a number if that name is taken, too.
std::string
chooseReportPath(const std::string& folder, const std::string& name, const Job& job, std::string_view ending = ".json");

} // namespace commtap
