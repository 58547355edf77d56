// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/runs/output.h"

namespace commtap {

/// Returns the ledgers in `folder`, and in those of its attempts, whose processes on `host`, which is this one, are
/// dead. Tests file names only, at most 4,096: most processes of a job run, and a starting or exiting process should
/// not list thousands of files.
std::vector<std::string> ledgersOfTheDead(const std::string& folder, const std::string& host);

/// Returns the ledgers of the process `pid` of `host` in `folder`, or up to three folders below. Tests file names only,
/// at most 4,096.
std::vector<std::string> ledgersOfProcess(const std::string& folder, const std::string& host, uint64_t pid);

/// Converts ledgers of killed processes to reports (exit: killed). Each function below deletes a ledger after writing
/// its report. Concurrent processes convert each ledger only once.

/// Converts the ledgers of dead processes below `folder`. Returns the paths of the new reports.
std::vector<std::string> recoverLedgers(const std::string& folder, std::vector<std::string>& problems);

/// Converts the ledgers of this user's dead processes on this host below the folder `path`. Every command that reads a
/// folder calls it first. Ignores ledgers that it cannot convert; they stay readable.
void recoverOrphanedLedgers(const std::string& path);

/// Converts ledgers that an exiting process of the job may leave behind, in `folder`, in the folders of the newest runs
/// there, and in those of their attempts. They are those of its children, and of its run's and of
/// other runs of that name on its host. Ignores ledgers that it cannot convert.
void recoverLedgersOfRun(const std::string& folder, const OutputIdentity& process);

} // namespace commtap
