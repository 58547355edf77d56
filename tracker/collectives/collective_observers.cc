// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/collective_observers.h"

#include <memory>
#include <shared_mutex>

#include "report/model/vocabulary.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/collectives/count_captures.h"
#include "tracker/core/launch_environment.h"
#include "tracker/core/process_ledger.h"

namespace commtap {

std::atomic<uint32_t> CollectiveObservers::active_{0};

namespace {

struct Callback {
  std::shared_mutex mutex; ///< shared while the callback runs
  commtap_collective_callback function = nullptr;
  void* context = nullptr;
};

// Leaked on purpose: threads communicate until the process exits.
Callback& callback() {
  static auto* instance = new Callback();
  return *instance;
}

[[gnu::tls_model("initial-exec")]] thread_local bool tls_in_callback = false;

void runCallback(const LedgerCollective& row, uint64_t bytes) {
  if (tls_in_callback) {
    return;
  }
  const std::shared_lock<std::shared_mutex> lock(callback().mutex);
  if (callback().function != nullptr) {
    const commtap_collective described = describe(row, 1, bytes);
    tls_in_callback = true;
    callback().function(&described, callback().context);
    tls_in_callback = false;
  }
}

const char* ledgerText(StringId id) {
  return lastingText(ProcessLedger::ledger().text(id));
}

} // namespace

void CollectiveObservers::collective(const LedgerCollective& row, uint64_t bytes) {
  CountCaptures::get().count(row, bytes);
  runCallback(row, bytes);
}

void CollectiveObservers::setCallback(commtap_collective_callback function, void* context) {
  // Inside the callback this thread holds the lock already, and must not wait for other threads' calls.
  std::unique_lock<std::shared_mutex> lock(callback().mutex, std::defer_lock);
  if (!tls_in_callback) {
    lock.lock();
  }
  if ((function != nullptr) != (callback().function != nullptr)) {
    function != nullptr ? added() : removed();
  }
  callback().function = function;
  callback().context = context;
}

void CollectiveObservers::resetInForkedChild() {
  new (&callback().mutex) std::shared_mutex(); // threads that do not exist in the child may have held the old one
  if (tls_in_callback) {
    callback().mutex.lock_shared(); // this thread forked inside the callback
  }
}

commtap_collective describe(const LedgerCollective& row, uint64_t count, uint64_t bytes) {
  const CollectiveKey& key = row.key;
  ModuleRegistry& modules = ModuleRegistry::get();
  return {
      key.module,
      key.issued_in,
      lastingText(modules.nameOf(key.module, ModuleName::kRaw)),
      lastingText(modules.nameOf(key.issued_in, ModuleName::kRaw)),
      lastingText(phaseName(key.phase)),
      ledgerText(key.op),
      lastingText(kindName(key.kind)),
      lastingText(ProcessLedger::ledger().groupName(key.group)),
      ledgerText(key.dtype),
      count,
      bytes,
  };
}

} // namespace commtap
