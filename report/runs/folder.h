// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/model/model.h"
#include "report/runs/output.h"

namespace commtap {

/// One process's report, from its JSON or from its ledger.
struct ReportFile {
  std::string path;
  bool is_ledger = false;
  Report report;
};

struct ReportFolder {
  std::vector<ReportFile> files;     ///< by attempt, rank, pid; processes without a rank last
  bool is_one_file = false;          ///< a report or ledger was named, not a folder
  std::vector<std::string> problems; ///< one line for each file that could not be read, with its path
  size_t other_runs = 0;             ///< reports left out because they belong to other runs in the same folder
};

/// Called now and then with the files read and the files there are.
using Progress = std::function<void(size_t, size_t)>;

/// Reads a report, a ledger, or all that pathsToRead() finds below a folder. Processes are known by content, not by
/// file name; where a process has both a ledger and a JSON, the JSON counts. Of several runs in one folder `run_id` is
/// kept, by default the newest. Fails only if there is no such path or nothing in it could be read.
Result<ReportFolder>
readReports(const std::string& path, const Progress& progress, const std::optional<std::string>& run_id = std::nullopt);

/// Turns the ledgers of dead processes below `folder` into JSON (exit: killed) and takes them away. When several do it
/// at once, each ledger is one's. Returns the paths of the reports made.
std::vector<std::string> recoverLedgers(const std::string& folder, std::vector<std::string>& problems);

/// The same for a process of the job that ends, at little cost: of its children and of processes of its run, on its
/// host, in `folder` itself and its attempts. What does not work is left to others.
void recoverLedgersOfRun(const std::string& folder, const OutputIdentity& process);

/// reportPaths() for who is about to read them, and may be the first to look: in a folder the ledgers of processes of
/// this user on this host that are gone become reports before. What does not work, as where one may not write, is left:
/// a ledger can be read as it is. Those that became reports have vanished; the reports are there at the next look.
std::vector<std::string> pathsToRead(const std::string& path, std::vector<std::string>& problems);

} // namespace commtap
