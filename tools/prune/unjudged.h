// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "report/runs/report_scan.h"
#include "tools/prune/stored_run.h"

namespace commtap {

/// Something in a folder that may be a report or a ledger, and cannot be read.
struct UnjudgedFile {
  std::string path;
  uid_t owner = 0;
  bool is_empty = false;
  bool may_be_ledger = false; ///< so its run is not known: a ledger by its name, or a folder that cannot be listed
};

/// Returns what `scan`, of the folder `path`, could not read, except files that are not commtap's: files that are
/// damaged, of a later version or not permitted; pipes and dangling links with the name of a ledger; folders. Adds to
/// `scan` the reports and ledgers that came after it.
std::vector<UnjudgedFile> findUnjudged(const std::string& path, ReportScan& scan);

/// Marks the runs that a ledger of `unjudged` may belong to: each run of its owner. All processes of a run belong to
/// one user, and where they write is not known. Drops from `unjudged` what belongs to users without a run, except the
/// caller.
void markUndecided(std::vector<UnjudgedFile>& unjudged, std::vector<StoredRun>& runs);

} // namespace commtap
