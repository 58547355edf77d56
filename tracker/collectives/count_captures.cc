// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/count_captures.h"

#include <map>
#include <new>
#include <string>

#include "tracker/collectives/collective_observers.h"
#include "tracker/torch/compat.h"

namespace commtap {
namespace {

std::string keyWithoutSize(const LedgerCollective& row) {
  CollectiveKey key = row.key;
  key.size_class = 0;
  return {reinterpret_cast<const char*>(&key), sizeof(key)};
}

} // namespace

CountCaptures& CountCaptures::get() {
  static auto* instance = new CountCaptures(); // leaked on purpose: threads communicate until the process exits
  return *instance;
}

long CountCaptures::begin(commtap_threads threads) {
  const uint64_t only_thread = threads == COMMTAP_THIS_THREAD ? compat::threadId() : 0;
  const std::lock_guard<std::mutex> lock(mutex_);
  captures_[++last_] = Capture{only_thread, {}, {}};
  CollectiveObservers::added();
  return last_;
}

bool CountCaptures::end(long capture) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (captures_.erase(capture) == 0) {
    return false;
  }
  CollectiveObservers::removed();
  return true;
}

std::optional<std::vector<commtap_collective>> CountCaptures::read(long capture) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = captures_.find(capture);
  if (found == captures_.end()) {
    return std::nullopt;
  }
  std::vector<commtap_collective> rows;
  std::map<std::string, size_t> known; // the ledger has one row per size class, a capture joins them
  for (const Amount& amount : found->second.amounts) {
    const auto [slot, is_new] = known.try_emplace(keyWithoutSize(*amount.row), rows.size());
    if (is_new) {
      rows.push_back(describe(*amount.row, amount.count, amount.bytes));
    } else {
      rows[slot->second].count += amount.count;
      rows[slot->second].bytes += amount.bytes;
    }
  }
  return rows;
}

void CountCaptures::count(const LedgerCollective& row, uint64_t bytes) {
  const uint64_t thread_id = compat::threadId();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [number, capture] : captures_) {
    if (capture.only_thread != 0 && capture.only_thread != thread_id) {
      continue;
    }
    const auto [slot, is_new] = capture.index.try_emplace(&row, capture.amounts.size());
    if (is_new) {
      capture.amounts.push_back({&row, 0, 0});
    }
    Amount& amount = capture.amounts[slot->second];
    ++amount.count;
    amount.bytes += bytes;
  }
}

ForkLock CountCaptures::forkLock() {
  return {&get().mutex_, [] { new (&get().captures_) All(); }, "captures at a fork"};
}

} // namespace commtap
