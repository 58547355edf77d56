// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_headers.h"

#include <array>
#include <cstring>

namespace commtap {
namespace {

/// What differs between the headers; must not follow the numbers of this version.
struct Format {
  size_t reasons;        ///< of `not_seen`
  size_t bytes_at_end{}; ///< after `cost`
};
constexpr std::array<Format, kLedgerVersion - kOldestLedgerVersion> kFormats = {{
    {.reasons = 24},
    {.reasons = 28},
    {.reasons = 29, .bytes_at_end = 2 * sizeof(uint32_t)}, // steps_from
    {.reasons = 30, .bytes_at_end = 2 * sizeof(uint32_t)},
    {.reasons = 31, .bytes_at_end = 2 * sizeof(uint32_t)},
    {.reasons = 32, .bytes_at_end = 2 * sizeof(uint32_t)},
}};
static_assert(kFormats.back().reasons <= kNotSeenCount);

constexpr size_t kReasons = offsetof(LedgerHeader, not_seen);
constexpr size_t kCost = offsetof(LedgerHeader, cost);

/// Where `not_seen` begins.
size_t reasonsOf(uint32_t version) {
  return offsetof(LedgerHeader, sections) + sectionsOf(version) * sizeof(LedgerSection);
}

size_t reasonBytes(uint32_t version) {
  return kFormats.at(version - kOldestLedgerVersion).reasons * sizeof(LedgerNotSeen);
}

size_t endBytes(uint32_t version) {
  return sizeof(LedgerCost) + kFormats.at(version - kOldestLedgerVersion).bytes_at_end;
}
static_assert(kCost + sizeof(LedgerCost) + kFormats.back().bytes_at_end <= sizeof(LedgerHeader));

} // namespace

size_t oldHeaderSize(uint32_t version) {
  return reasonsOf(version) + reasonBytes(version) + endBytes(version);
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
  const std::byte* reasons = bytes.data() + reasonsOf(version);
  auto* copy = reinterpret_cast<std::byte*>(header.get());
  std::memcpy(copy, bytes.data(), reasonsOf(version));
  std::memcpy(copy + kReasons, reasons, reasonBytes(version));
  std::memcpy(copy + kCost, reasons + reasonBytes(version), endBytes(version));
  return header;
}

} // namespace commtap
