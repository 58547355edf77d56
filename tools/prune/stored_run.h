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
  bool may_have_a_ledger = false; ///< one that cannot be read: see unjudged.h
};

/// Sets the facts of the file at file.path. `ended_at_ns`: of its process, 0 if not known. Returns false if it is gone.
bool lookUp(uint64_t ended_at_ns, StoredFile& file);

/// Looks up the files of a scan. Leaves out those that are gone.
std::vector<StoredFile> storedFiles(const ReportScan& scan);

/// Returns the runs of these files, the one that changed longest ago first.
std::vector<StoredRun> storedRuns(std::vector<StoredFile> files);

/// Returns when a file was last written to: ns of CLOCK_REALTIME.
uint64_t changedAtNs(const struct stat& facts);

} // namespace commtap
