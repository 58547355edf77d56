// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/model/model.h"

namespace commtap {

/// What names a process's report.
struct OutputIdentity {
  std::string host;
  uint64_t pid = 0;
  int64_t rank = -1; ///< -1: none
  std::string run_id;
  int64_t attempt = 0; ///< torchrun's restart count
};

/// Puts host, pid, rank and run id in place of %h %p %r %j (%% for %). A process without a rank has "none"; a run id
/// is made fit for a file name.
std::string expandOutputPattern(const std::string& pattern, const OutputIdentity& identity);

/// The deepest folder that holds all reports of a run whatever their host, pid and rank: `pattern` up to its first
/// component with %h, %p or %r.
std::string commonFolder(const std::string& pattern, const std::string& run_id);

/// The report's name below the output folder, without ".json": "rank-00003", "attempt-1/rank-00003",
/// "pid-HOST-4711" for a process without a rank.
std::string reportName(const OutputIdentity& identity);

/// The ledger's file name beside the report: names the process, so that no two processes ever share one.
std::string ledgerFileName(const std::string& report_path, const OutputIdentity& identity);

/// The pid in such a name; nullopt for another host's, and for what is no ledger's name.
std::optional<uint64_t> pidOfLedger(const std::string& name, const std::string& host);

/// Where the report of a process goes: `folder`/`name`.json, unless another process of the same run has written that
/// file since `run_began_ns` (a second program of the same rank): then the pid is added, and a number where that file
/// is another process's too. A report of an earlier run is replaced. `run_began_ns`: see runBeganNs() in
/// process.h.
std::string chooseReportPath(const std::string& folder, const std::string& name, const Job& job, uint64_t run_began_ns);

} // namespace commtap
