// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_headers.h"

#include <array>
#include <cstring>

namespace commtap {
namespace {

/// The reasons of `not_seen` by format; they must not follow the number of this version.
constexpr std::array<size_t, kLedgerVersion - kOldestLedgerVersion> kReasons = {24, 28};
static_assert(kReasons.back() <= kNotSeenCount);

constexpr size_t kBegin = offsetof(LedgerHeader, not_seen);

size_t reasonBytes(uint32_t version) {
  return kReasons.at(version - kOldestLedgerVersion) * sizeof(LedgerNotSeen);
}

} // namespace

size_t oldHeaderSize(uint32_t version) {
  return kBegin + reasonBytes(version) + sizeof(LedgerCost);
}

std::unique_ptr<LedgerHeader> oldHeaderOf(std::span<const std::byte> bytes, uint32_t version) {
  uint32_t size = 0;
  if (bytes.size() < oldHeaderSize(version)) {
    return nullptr;
  }
  std::memcpy(&size, bytes.data() + offsetof(LedgerHeader, header_size), sizeof(size));
  if (size != oldHeaderSize(version)) {
    return nullptr;
  }
  auto header = std::make_unique<LedgerHeader>();
  std::memcpy(static_cast<void*>(header.get()), bytes.data(), kBegin);
  std::memcpy(static_cast<void*>(header->not_seen), bytes.data() + kBegin, reasonBytes(version));
  const std::byte* cost = bytes.data() + kBegin + reasonBytes(version);
  std::memcpy(static_cast<void*>(&header->cost), cost, sizeof(LedgerCost));
  return header;
}

} // namespace commtap
