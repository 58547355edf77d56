// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/ledger_reader/ledger_records.h"
#include "report/model/model.h"

namespace commtap {

/// A ledger, and the report that the functions below make of its sections, one after the other.
struct LedgerReading {
  LedgerRecords records;
  Report report{};
  std::vector<uint32_t> times{}; ///< by row of collectives: 1 + the number of its durations; 0: none. See readTimes()
  bool has_forward = false;      ///< the process began a forward; see readForwards()
  std::vector<uint32_t> rows{};  ///< by row of collectives: 1 + the number of the report's row; 0: none

  /// Returns a module's name; "Global" for an unknown id (noted as damage).
  std::string moduleName(uint32_t module);
  /// Returns a group's name; "?" for an unknown index.
  std::string_view groupName(uint32_t group) const {
    return group < report.groups.size() ? std::string_view(report.groups[group].name) : "?";
  }
  uint64_t realtime(uint64_t steady_ns) const {
    return steady_ns + records.header().realtime_minus_steady;
  }
  /// Returns the number of records to reserve memory for: a damaged ledger may claim any number.
  uint64_t reservable(LedgerSectionId id) const {
    return std::min(records.count(id), kLedgerCapacities[id]);
  }
};

/// Reads groups, modules and parameters. All other sections refer to these.
void readGroups(LedgerReading& reading);
void readModules(LedgerReading& reading);
/// Adds the sums by stretch to the groups.
void readSequences(LedgerReading& reading);

/// Finds whether the process began a forward: without one, nothing tells its set-up from the rest. Call before any row
/// is read.
void readForwards(LedgerReading& reading);
/// Finds the durations of each row of collectives. Call before any row is read.
void readTimes(LedgerReading& reading);
/// Reads the rows of collectives and ops, sorted by module. Modules that share a clean name share its rows.
void readCollectives(LedgerReading& reading);
/// Reads the members of rows whose calls a compiler merged. Call after readCollectives().
void readMembers(LedgerReading& reading);
/// Adds the modules that stood still to the times of their rows. Call after readCollectives().
void readStalls(LedgerReading& reading);
/// Adds the split sizes to their rows. Call after readCollectives().
void readSplits(LedgerReading& reading);
void readOperations(LedgerReading& reading);
/// Returns the report's row of one record.
Collective collectiveOf(LedgerReading& reading, const LedgerCollective& ledger);

void readSteps(LedgerReading& reading);
/// Reads the last collectives.
void readLast(LedgerReading& reading);

/// Reads NCCL's communicators and the calls to NCCL.
void readNccl(LedgerReading& reading);
void readOpenCalls(LedgerReading& reading);
void readCudaGraphs(LedgerReading& reading);

inline Phase phaseOf(Phase phase) {
  return static_cast<int>(phase) < kPhaseCount ? phase : Phase::kOther;
}
inline Kind kindOf(Kind kind) {
  return static_cast<int>(kind) < kKindCount ? kind : Kind::kOther;
}

/// Adds a collective that each launch of a CUDA graph makes. Equal calls share one entry with summed counts and bytes.
void addGraphCall(std::vector<GraphCollective>& calls, GraphCollective call);
/// Adds an NCCL call that each launch of a CUDA graph makes. Equal calls share one entry with summed counts and bytes.
void addGraphCall(std::vector<GraphNcclCall>& calls, GraphNcclCall call);

} // namespace commtap
