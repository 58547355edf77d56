// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
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

/// The rule for runs to keep.
struct Retention {
  std::optional<uint64_t> keep_ns = {};   ///< runs that changed within this time
  std::optional<uint64_t> max_bytes = {}; ///< of all runs together
};

/// A run that changed within this time is never removed: between two attempts of a job none of its processes runs.
inline constexpr uint64_t kJustChangedNs = 3600ULL * 1'000'000'000; ///< nanoseconds

/// The runs to remove.
struct PrunePlan {
  std::vector<StoredRun> removed;
  uint64_t kept_runs = 0;
  uint64_t kept_bytes = 0;
  std::vector<std::string> with_ledgers; ///< runs that stay only because they have ledgers
  std::vector<std::string> just_changed; ///< runs that stay only because they changed within kJustChangedNs
  std::vector<std::string> undecided;    ///< runs that stay only because a ledger that cannot be read may be theirs
};

/// Plans by age first, then removes the oldest until the rest is small enough. `runs`: oldest first. `now_ns`:
/// CLOCK_REALTIME.
PrunePlan planPrune(std::vector<StoredRun> runs, const Retention& retention, uint64_t now_ns);

/// The outcome for a run's files.
struct Removal {
  size_t files = 0;                  ///< deleted
  uint64_t bytes = 0;                ///< of those
  size_t kept_files = 0;             ///< those with a problem, and those that were written since the run was found
  uint64_t kept_bytes = 0;           ///< of those
  std::vector<std::string> problems; ///< a line for each file that stays because it cannot be judged or deleted
};

/// Deletes the reports and samples of a run, and the folders below `root` that this leaves empty. Reads each file
/// completely before: what is not a whole report, or holds more, stays. Leaves a file alone that was written since the
/// run was found. Deletes no other file if paths are renamed or linked at that time. `is_dry_run`: only judges.
Removal removeRun(const StoredRun& run, const std::string& root, bool is_dry_run);

} // namespace commtap
