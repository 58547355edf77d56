// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <map>
#include <string>

#include "report/ledger_reader/ledger_reading.h"
#include "report/model/members.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

struct MemberPart {
  uint64_t count = 0;
  uint64_t bytes = 0;
};
/// The parts of one row, by the module's name.
using MemberParts = std::map<std::string, MemberPart>;

/// Adds a row's members. A row that also has calls which nothing merged, or that is counted right now, has none.
void addMembers(Report& report, uint64_t row, const MemberParts& parts) {
  uint64_t bytes = 0;
  for (const auto& [module, part] : parts) {
    addSaturating(bytes, part.bytes);
  }
  if (bytes != report.collectives[row].bytes || report.members.size() + parts.size() > kMostMembers) {
    return;
  }
  for (const auto& [module, part] : parts) {
    report.members.push_back({row, module, part.bytes, part.count});
  }
}

} // namespace

void readMembers(LedgerReading& reading) {
  std::map<uint64_t, MemberParts> rows;
  reading.records.forEachWhole<kMembers>([&](const LedgerMember& member, uint64_t /*number*/) {
    const uint64_t count = member.count.load(std::memory_order_relaxed);
    if (count == 0 || member.key.row >= reading.rows.size() || reading.rows[member.key.row] == 0) {
      return; // the job has set the counters to 0, or has added the row after its section was read
    }
    MemberPart& part = rows[reading.rows[member.key.row] - 1][reading.moduleName(member.key.module)];
    addSaturating(part.count, count);
    addSaturating(part.bytes, member.bytes.load(std::memory_order_relaxed));
  });
  for (const auto& [row, parts] : rows) {
    addMembers(reading.report, row, parts);
  }
}

} // namespace commtap
