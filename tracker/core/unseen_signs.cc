// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/unseen_signs.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "tracker/core/process_ledger.h"
#include "tracker/torch/sign_names.h"

namespace commtap {
namespace {

std::atomic<uint64_t> exchanged{0};
std::atomic<bool> is_noted{false};

bool isDeviceLibrary(std::string_view name) {
  using torch_names::kDeviceLibraries;
  return std::any_of(kDeviceLibraries.begin(), kDeviceLibraries.end(), [&](std::string_view prefix) {
    return name.starts_with(prefix);
  });
}

/// Reads the list without the loader's lock, which a thread may hold while the process ends.
std::string mapsOfThisProcess() {
  std::ifstream maps("/proc/self/maps");
  return {std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>()};
}

} // namespace

void UnseenSigns::symmetricMemoryExchanged() noexcept {
  exchanged.fetch_add(1, std::memory_order_relaxed);
}

std::vector<std::string> UnseenSigns::deviceLibraries(std::string_view maps) {
  std::vector<std::string> found;
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    const size_t slash = line.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? std::string_view() : line.substr(slash + 1);
    if (isDeviceLibrary(name) && std::find(found.begin(), found.end(), name) == found.end()) {
      found.emplace_back(name);
    }
  }
  return found;
}

void UnseenSigns::noteAll() {
  if (is_noted.exchange(true)) {
    return;
  }
  LedgerWriter& ledger = ProcessLedger::ledger();
  const uint64_t tensors = exchanged.load(std::memory_order_relaxed);
  if (tensors > 0 && !ledger.hasOpsOf(torch_names::kSymmetricMemoryOps)) {
    ledger.notSeen(NotSeen::kSymmetricMemory, "symmetric_memory::rendezvous", tensors);
  }
  for (const std::string& library : deviceLibraries(mapsOfThisProcess())) {
    ledger.notSeen(NotSeen::kDeviceLibraries, library);
  }
}

void UnseenSigns::resetInForkedChild() {
  exchanged.store(0, std::memory_order_relaxed);
  is_noted.store(false, std::memory_order_relaxed);
}

} // namespace commtap
