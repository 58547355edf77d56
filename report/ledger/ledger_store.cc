// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_store.h"

#include <cstring>
#include <new>

#include "report/ledger/ledger_checks.h"

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
  const uint64_t room = roundUp(sizeof(LedgerString) + text.size(), sizeof(uint32_t));
  const uint64_t offset = reserve(kStrings, room, lock);
  if (offset == kNoIndex) {
    LedgerNotSeen& entry = header().not_seen[static_cast<size_t>(NotSeen::kStringsFull)];
    entry.count.fetch_add(1);
    return text == "?" ? 0 : intern("?", lock);
  }
  std::byte* record = records<kStrings>() + offset;
  const LedgerString head{static_cast<uint32_t>(text.size()), checkOf(text, static_cast<uint32_t>(offset))};
  std::memcpy(record, &head, sizeof(head));
  std::memcpy(record + sizeof(head), text.data(), text.size());
  commit(kStrings, offset + room, lock);
  const auto id = static_cast<StringId>(offset);
  strings_.emplace(text, id);
  return id;
}

std::string_view LedgerStore::text(StringId id) const {
  const std::byte* start = records<kStrings>() + id;
  LedgerString head{};
  std::memcpy(&head, start, sizeof(head));
  return {reinterpret_cast<const char*>(start + sizeof(head)), head.length};
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
  for (uint64_t offset = sizeof(LedgerString); offset < used(kStrings, lock);) {
    const auto id = static_cast<StringId>(offset);
    const std::string_view known = text(id);
    strings_.emplace(known, id);
    offset += roundUp(sizeof(LedgerString) + known.size(), sizeof(uint32_t));
  }
}

} // namespace commtap
