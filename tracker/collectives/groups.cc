// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/groups.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracker/core/log.h"
#include "tracker/core/process_ledger.h"
#include "tracker/torch/compat.h"
#include "tracker/torch/layout.h"

namespace commtap {
namespace {

/// Identifies a group that C++ made: it may get the address or the name of a destroyed one. groupMade() knows of those
/// that Python makes.
struct Identity {
  std::string name;
  std::string desc;
  int size;
  int rank;

  bool operator==(const Identity&) const = default;
};

struct Entry {
  Identity identity;
  GroupRef ref;
};

using Entries = std::unordered_map<const void*, Entry>;
using LibraryGroups = std::unordered_map<std::string, GroupRef>;

struct Table {
  std::mutex mutex;
  Entries by_address;
  LibraryGroups by_library_name;
};

/// The number of times that groupMade() removed an entry: a thread's last group may be out of date after each.
std::atomic<uint32_t> generation{0};

// Leaked on purpose: threads communicate until the process exits.
Table& table() {
  static auto* instance = new Table();
  return *instance;
}

/// Returns the backend's global ranks: empty for the default group and for a backend without options.
std::vector<uint64_t> statedRanks(const c10d::ProcessGroup& group) {
  try {
    return compat::globalRanks(group);
  } catch (const std::exception&) {
    return {};
  }
}

std::vector<uint32_t> ranksOf(const c10d::ProcessGroup& group) {
  const std::vector<uint64_t> stated = statedRanks(group);
  std::vector<uint32_t> ranks(stated.begin(), stated.end());
  const auto size = static_cast<size_t>(group.getSize());
  const int64_t world = ProcessLedger::ledger().header().world_size;
  if (ranks.empty() && world == static_cast<int64_t>(size)) { // torch leaves the list of the default group empty
    ranks.resize(size);
    std::iota(ranks.begin(), ranks.end(), 0U);
  }
  return ranks.size() == size ? ranks : std::vector<uint32_t>();
}

/// Returns "" if the group has no backend yet: torch asks the backend for the name, and throws without one.
const std::string& nameOf(const c10d::ProcessGroup& group) {
  static const auto* none = new std::string();
  try {
    return group.getGroupName();
  } catch (const std::exception&) {
    return *none;
  }
}

std::string backendOf(const c10d::ProcessGroup& group) {
  try {
    return group.getBackendName();
  } catch (const std::exception&) { // no backend yet
    return "undefined";
  }
}

std::string descOf(const c10d::ProcessGroup& group) {
  try {
    return group.getGroupDesc();
  } catch (const std::exception&) { // no backend yet
    return "";
  }
}

Identity identityOf(const c10d::ProcessGroup& group) {
  return {nameOf(group), descOf(group), group.getSize(), group.getRank()};
}

/// Returns the size of a world that has all ranks that a group states; -1 if the environment's has them. That of a
/// replica group is smaller, if each replica group is a job of its own, as in torchft.
int64_t worldOf(const std::vector<uint64_t>& ranks) {
  const auto largest = static_cast<int64_t>(*std::max_element(ranks.begin(), ranks.end()));
  const int64_t world = ProcessLedger::ledger().header().world_size;
  return world > 0 && largest >= world ? largest + 1 : -1;
}

/// Reports this process's rank to the ledger. The default group knows rank and job size. A smaller group may know this
/// process's global rank. Any group makes the process leave a report.
void announce(const c10d::ProcessGroup& group, const Identity& identity) {
  ProcessLedger& process_ledger = ProcessLedger::get();
  if (process_ledger.hasOutput()) {
    return;
  }
  const std::vector<uint64_t> ranks = statedRanks(group);
  if (static_cast<size_t>(identity.rank) < ranks.size()) {
    const auto rank = static_cast<int64_t>(ranks[static_cast<size_t>(identity.rank)]);
    process_ledger.processGroupSeen(rank, worldOf(ranks));
  } else if (identity.desc == "default_pg" || !process_ledger.hasRank()) {
    process_ledger.processGroupSeen(identity.rank, identity.size);
  } else {
    process_ledger.processGroupSeen(-1, -1);
  }
}

GroupRef addGroup(const Identity& identity, const std::string& backend, const std::vector<uint32_t>& ranks) {
  const uint32_t index = ProcessLedger::ledger().addGroup(
      identity.name,
      identity.desc,
      backend,
      static_cast<uint32_t>(identity.size),
      static_cast<uint32_t>(identity.rank),
      ranks);
  return {index, static_cast<uint32_t>(identity.size)};
}

std::optional<GroupRef> find(const c10d::ProcessGroup& group, const Identity& identity) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  const auto known = table().by_address.find(&group);
  const bool is_this = known != table().by_address.end() && known->second.identity == identity;
  return is_this ? std::optional<GroupRef>(known->second.ref) : std::nullopt;
}

void requireLayout(const c10d::ProcessGroup& group) {
  const std::string difference = layoutDifference(group);
  if (difference.empty()) {
    return;
  }
  static std::atomic<bool> is_said{false};
  if (!is_said.exchange(true)) {
    logWarning(
        "this torch differs from the torch " + compat::builtForTorch() + " that the tracker was built for (" +
        difference + "): install a release of torch; no collective is counted: run `commtap doctor`");
  }
  ProcessLedger::get().processGroupSeen(-1, -1);
  throw LayoutDiffers(difference);
}

/// Queries the backend without the lock. A backend in Python takes the GIL to answer, and a thread with the GIL may
/// wait for the lock.
GroupRef findOrAdd(const c10d::ProcessGroup& group) {
  requireLayout(group);
  const Identity identity = identityOf(group);
  announce(group, identity);
  if (const std::optional<GroupRef> known = find(group, identity)) {
    return *known;
  }
  const std::string backend = backendOf(group);
  const std::vector<uint32_t> ranks = ranksOf(group);
  const std::lock_guard<std::mutex> lock(table().mutex);
  Entry& entry = table().by_address[&group];
  if (entry.ref.size == 0 || !(entry.identity == identity)) {
    entry = {identity, addGroup(identity, backend, ranks)};
  }
  return entry.ref;
}

} // namespace

GroupRef groupOf(const c10d::ProcessGroup& group, ThreadState& thread) {
  const uint32_t now = generation.load(std::memory_order_acquire);
  const bool same =
      thread.last_group_key == &group && thread.last_group_generation == now && thread.last_group_name == nameOf(group);
  if (!same || !ProcessLedger::get().hasOutput()) {
    thread.last_group = findOrAdd(group);
    thread.last_group_key = &group;
    thread.last_group_generation = now;
    thread.last_group_name = nameOf(group);
  }
  return thread.last_group;
}

GroupRef groupNamed(const std::string& name, ThreadState& thread) {
  try {
    return groupOf(*c10d::resolve_process_group(name), thread);
  } catch (const LayoutDiffers&) {
    throw;
  } catch (const std::exception&) { // no such group: the op itself reports that to the job
    return {};
  }
}

GroupRef groupMade(const std::string& name, ThreadState& thread) {
  try {
    const auto group = c10d::resolve_process_group(name);
    {
      const std::lock_guard<std::mutex> lock(table().mutex);
      table().by_address.erase(group.get());
    }
    generation.fetch_add(1, std::memory_order_release);
  } catch (const std::exception&) { // no such group: groupNamed() finds none either
    return {};
  }
  return groupNamed(name, thread);
}

GroupRef libraryGroupNamed(const std::string& name, ThreadState& thread) {
  if (thread.last_library_group.size != 0 && thread.last_library_name == name) {
    return thread.last_library_group;
  }
  const std::lock_guard<std::mutex> lock(table().mutex);
  const auto known = table().by_library_name.find(name);
  thread.last_library_name = name;
  thread.last_library_group = known == table().by_library_name.end() ? GroupRef() : known->second;
  return thread.last_library_group;
}

void learnLibraryGroup(const c10d::ProcessGroup& group, ThreadState& thread) {
  thread.last_library_group = findOrAdd(group);
  const std::lock_guard<std::mutex> lock(table().mutex);
  table().by_library_name[thread.last_library_name] = thread.last_library_group;
}

ForkLock groupsForkLock() {
  return {
      &table().mutex,
      [] {
        new (&table().by_address) Entries();
        new (&table().by_library_name) LibraryGroups();
      },
      "groups at a fork"};
}

} // namespace commtap
