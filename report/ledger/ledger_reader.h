// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "report/base/result.h"
#include "report/model/model.h"

namespace commtap {

/// What a ledger holds beside the report itself.
struct LedgerContents {
  Report report;
  std::string report_name; ///< where its JSON belongs, below the output folder, without ".json"
  std::string boot_id;
  uint64_t pid_start_ticks = 0;
  uint64_t parent_pid = 0;
  uint64_t run_began_ns = 0; ///< see runBeganNs(); 0: not known
  std::string damage;        ///< one line on what could not be read; "" for a sound ledger
};

/// Reads a ledger from memory: the writer's own, or a copy. Any bytes are accepted, nothing outside of them is
/// touched; what is readable of a damaged ledger is returned, with `damage` set. Fails if it is no ledger of a known
/// version at all.
Result<LedgerContents> readLedger(std::span<const std::byte> bytes);

/// Reads a ledger file, also while its process writes it. A process that still runs is left as ExitKind::kRunning;
/// one that is gone becomes kKilled.
Result<LedgerContents> readLedgerFile(const std::string& path);

} // namespace commtap
