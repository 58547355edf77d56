// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "report/runs/report_scan.h"

namespace commtap {

/// A report, a ledger or a samples file on the disk.
struct StoredFile {
  std::string path;
  std::string run_id;
  uint64_t bytes = 0;         ///< on the disk: a ledger is sparse
  uint64_t changed_at_ns = 0; ///< CLOCK_REALTIME; of the process's end, or the file's time if that is later
  bool is_ledger = false;
  uid_t owner = 0;
  bool is_samples = false;
};

/// The files of one run.
struct StoredRun {
  std::string run_id;
  std::vector<StoredFile> files = {};
  uint64_t bytes = 0;
  uint64_t changed_at_ns = 0;     ///< of the file that changed last
  bool has_ledger = false;        ///< a process runs, or was killed and its ledger was not converted
  std::set<uid_t> owners = {};    ///< of the files
  bool may_have_a_ledger = false; ///< one that cannot be read: see markUndecided()
};

/// Sets the facts of the file at file.path. `ended_at_ns`: of its process, 0 if not known. Returns false if it is gone.
bool lookUp(uint64_t ended_at_ns, StoredFile& file);

/// Looks up the files of a scan. Leaves out those that are gone.
std::vector<StoredFile> storedFiles(const ReportScan& scan);

/// Returns the runs of these files, the one that changed longest ago first.
std::vector<StoredRun> storedRuns(std::vector<StoredFile> files);

/// Returns when a file was last written to: ns of CLOCK_REALTIME.
uint64_t changedAtNs(const struct stat& facts);

/// Returns the samples files below a folder, with the runs that they name. Reads only their starts. Adds a line to
/// `problems` for each that cannot be read, which ends with `consequence`.
std::vector<StoredFile>
storedSamples(const std::string& folder, std::vector<std::string>& problems, const std::string& consequence);

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
