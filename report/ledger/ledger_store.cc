// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_store.h"

#include <cstring>
#include <new>

namespace commtap {

StringId LedgerStore::intern(std::string_view text) {
  const LedgerLock lock(appending());
  return intern(text, lock);
}

StringId LedgerStore::intern(std::string_view text, const LedgerLock& lock) {
  if (text.empty()) {
    return 0;
  }
  text = text.substr(0, kMaxString);
  const auto known = strings_.find(text);
  if (known != strings_.end()) {
    return known->second;
  }
  const auto length = static_cast<uint32_t>(text.size());
  const uint64_t room = roundUp(sizeof(length) + length, sizeof(uint32_t));
  const uint64_t offset = reserve(kStrings, room, lock);
  if (offset == kNoIndex) {
    header().not_seen[static_cast<size_t>(NotSeen::kStringsFull)].count.fetch_add(1);
    return text == "?" ? 0 : intern("?", lock);
  }
  std::byte* record = records<kStrings>() + offset;
  std::memcpy(record, &length, sizeof(length));
  std::memcpy(record + sizeof(length), text.data(), length);
  commit(kStrings, offset + room, lock);
  strings_.emplace(text, static_cast<StringId>(offset));
  return static_cast<StringId>(offset);
}

std::string_view LedgerStore::text(StringId id) const {
  const std::byte* start = records<kStrings>() + id;
  uint32_t length = 0;
  std::memcpy(&length, start, sizeof(length));
  return {reinterpret_cast<const char*>(start + sizeof(length)), length};
}

void LedgerStore::notSeen(NotSeen reason, std::string_view detail, uint64_t count) {
  LedgerNotSeen& entry = header().not_seen[static_cast<size_t>(reason)];
  if (entry.count.load(std::memory_order_relaxed) > 0) {
    entry.count.fetch_add(count, std::memory_order_relaxed);
    return;
  }
  const LedgerLock lock(appending());
  notSeen(reason, detail, count, lock);
}

void LedgerStore::notSeen(NotSeen reason, std::string_view detail, uint64_t count, const LedgerLock& lock) {
  LedgerNotSeen& entry = header().not_seen[static_cast<size_t>(reason)];
  if (entry.detail.load(std::memory_order_relaxed) == 0) {
    entry.detail.store(intern(detail, lock), std::memory_order_relaxed);
  }
  entry.count.fetch_add(count, std::memory_order_relaxed);
}

void LedgerStore::indexStrings(const LedgerLock& lock) {
  new (&strings_) Strings(); // leaks the old one, which may be half written
  for (uint64_t offset = sizeof(uint32_t); offset < used(kStrings, lock);) {
    const std::string_view known = text(static_cast<StringId>(offset));
    strings_.emplace(known, static_cast<StringId>(offset));
    offset += roundUp(sizeof(uint32_t) + known.size(), sizeof(uint32_t));
  }
}

} // namespace commtap
