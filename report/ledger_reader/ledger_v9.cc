// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_v9.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "report/ledger/ledger_checks.h"

namespace commtap::ledger_v9 {
namespace {

struct Collective {
  uint32_t module;
  uint32_t issued_in;
  StringId op;
  uint32_t group;
  StringId dtype;
  StringId reduce_op;
  Kind kind;
  Phase phase;
  AsyncOp async_op;
  uint8_t size_class;
  uint32_t check;
  StringId lowered[2];
  uint64_t count;
  uint64_t bytes;
  uint32_t lane;
  uint32_t times;
};
static_assert(sizeof(Collective) == sizeof(LedgerCollective), "LedgerImage reads the section of either");

uint32_t checkOf(const Collective& row, uint64_t number) {
  return checksumOf(
      kCollectives,
      number,
      wordOf(row.module, row.issued_in),
      wordOf(row.op, row.group),
      wordOf(row.dtype, row.reduce_op),
      uint64_t{wordOf(
          static_cast<uint8_t>(row.kind),
          static_cast<uint8_t>(row.phase),
          static_cast<uint8_t>(row.async_op),
          row.size_class)},
      row.lane);
}

void convert(const Collective& old, uint64_t number, LedgerCollective& row) {
  row.key = CollectiveKey{
      .module = old.module,
      .issued_in = old.issued_in,
      .op = old.op,
      .group = old.group,
      .dtype = old.dtype,
      .reduce_op = old.reduce_op,
      .kind = old.kind,
      .phase = old.phase,
      .async_op = AsyncOp::kUnknown,
      .setup = 0,
      .size_class = 0,
      .compiled = 0,
      .label = 0};
  row.key.async_op = static_cast<AsyncOp>(static_cast<uint8_t>(old.async_op) & kAsyncOpBits);
  row.key.size_class = old.size_class & kSizeClassBits;
  row.lowered[0] = old.lowered[0];
  row.lowered[1] = old.lowered[1];
  row.lane = static_cast<uint16_t>(std::min(old.lane, kLaneCount - 1));
  row.count = old.count;
  row.bytes = old.bytes;
  const uint32_t check = commtap::checkOf(row, number);
  row.check = old.check == checkOf(old, number) ? check : ~check;
}

} // namespace

std::vector<std::byte> collectivesOf(const std::byte* records, uint64_t count) {
  std::vector<std::byte> converted(count * sizeof(LedgerCollective));
  for (uint64_t i = 0; i < count; ++i) {
    Collective old{};
    std::memcpy(&old, records + i * sizeof(old), sizeof(old));
    convert(old, i, reinterpret_cast<LedgerCollective*>(converted.data())[i]);
  }
  return converted;
}

} // namespace commtap::ledger_v9
