// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "report/base/result.h"
#include "report/model/model.h"

namespace commtap {

class FileDescriptor;

/// A report, and what its ledger holds in addition.
struct LedgerContents {
  Report report;
  std::string report_name; ///< path of its JSON below the output folder, without ".json"
  std::string boot_id;
  uint64_t pid_start_ticks = 0;
  uint64_t parent_pid = 0;
  bool groups_destroyed = false; ///< the process had groups, and has destroyed all of them
  uint32_t ended_by = 0;         ///< the number of the signal that ended the process, as its parent found; 0: not known
  uint32_t signal_sent = 0;      ///< the number of a deadly signal that the launcher sent to the process; 0: none
  std::string damage;            ///< one line that says what could not be read; "": nothing
};

/// Reads a ledger from memory: the writer's own, or a copy. Accepts any bytes and reads nothing outside of them.
/// Returns the readable parts of a damaged ledger, with `damage` set. Fails if the bytes are not a ledger of this
/// version.
Result<LedgerContents> readLedger(std::span<const std::byte> bytes);

/// Reads only the job and the groups of a ledger in memory, for a process that asks often.
Result<Report> readLedgerHead(std::span<const std::byte> bytes);

/// Reads a ledger file, also while its process writes it. A running process stays ExitKind::kRunning; one that exited
/// without an end of its own becomes kKilled, or kAfterWork if it had destroyed all its groups.
Result<LedgerContents> readLedgerFile(const std::string& path);
/// Reads a ledger file that is open. `path` is for errors only.
Result<LedgerContents> readLedgerFile(const std::string& path, const FileDescriptor& file);

} // namespace commtap
