// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// A file that holds the counts of a process. A folder may hold several files of one process: its ledger and its
/// report for a moment, and copies that a user made.
struct ProcessFile {
  std::string path;
  const Job* job = nullptr;
  bool is_ledger = false;
  uint64_t calls = 0; ///< collectives in a ledger, see callsOf(); not read for a report
};

/// Returns the number of collectives that a report counts.
uint64_t callsOf(const Report& report);

/// Returns the positions of the files to count, one per process, ascending. Prefers a report to a ledger, a report with
/// an end time, the ledger with the most calls, then the highest folder. Adds a line to `copies` for each file left
/// out, except for a ledger next to its report.
std::vector<size_t> oneFilePerProcess(const std::vector<ProcessFile>& files, std::vector<std::string>& copies);

} // namespace commtap
