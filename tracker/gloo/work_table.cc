// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gloo/work_table.h"

namespace commtap {
namespace {

/// Entry::work is the address of kFilling while a thread writes the entry.
constexpr char kFilling = 0;

} // namespace

WorkTable::Entry& WorkTable::entryNear(const void* work, size_t nth) {
  const uint64_t hash = reinterpret_cast<uintptr_t>(work) * 0x9e3779b97f4a7c15U;
  return entries_[((hash >> 40U) + nth) % kCapacity];
}

bool WorkTable::claim(Entry& entry, const void* work) {
  const void* expected = work;
  if (!entry.work.compare_exchange_strong(expected, &kFilling, std::memory_order_acquire)) {
    return false;
  }
  entry.started_at_ns.store(0, std::memory_order_relaxed);
  return true;
}

bool WorkTable::add(const void* work, const OpFrame& call, const ThreadState* thread) {
  // Prefers an entry that an earlier Work at this address left, then an unused one.
  for (const void* before : {work, static_cast<const void*>(nullptr)}) {
    for (size_t nth = 0; nth < kProbes; ++nth) {
      Entry& entry = entryNear(work, nth);
      if (claim(entry, before)) {
        entry.call = call;
        entry.thread = thread;
        entry.work.store(work, std::memory_order_release);
        return true;
      }
    }
  }
  return false;
}

WorkTable::Entry* WorkTable::find(const void* work) {
  for (size_t nth = 0; nth < kProbes; ++nth) {
    Entry& entry = entryNear(work, nth);
    if (entry.work.load(std::memory_order_acquire) == work) {
      return &entry;
    }
  }
  return nullptr;
}

void WorkTable::clear() {
  for (Entry& entry : entries_) {
    entry.work.store(nullptr, std::memory_order_relaxed);
  }
}

} // namespace commtap
