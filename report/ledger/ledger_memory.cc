// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <vector>

#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_counters.h"

namespace commtap {
namespace {

/// The step in which the file system is asked for space, so that a full disk is an error code and not SIGBUS.
constexpr uint64_t kAllocationStep = 64U << 10U;

std::byte* newMemory(size_t size) {
  // MAP_SHARED although no process shares it: only shared memory can be mapped twice (secondView()).
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory); // NOLINT(performance-no-int-to-ptr)
}

/// Maps the same memory at a second address. Returns nullptr with errno set on failure.
std::byte* secondView(std::byte* memory, size_t size) {
  void* view = mremap(memory, 0, size, MREMAP_MAYMOVE); // an old size of 0 leaves the first view in place
  return view == MAP_FAILED ? nullptr : static_cast<std::byte*>(view); // NOLINT(performance-no-int-to-ptr)
}

/// Visits all counters of the ledger at `image`, in the same order each time. `used` is the number of records by
/// section.
void forEachLedgerCounter(
    std::byte* image,
    const std::array<uint64_t, kSectionCount>& used,
    const CounterVisitor auto& visit) {
  forEachCounter(*reinterpret_cast<LedgerHeader*>(image), visit);
  const auto visitTable = [&](const auto& table) {
    using Record = typename std::decay_t<decltype(table)>::Record;
    if constexpr (std::is_class_v<Record>) {
      auto* records = reinterpret_cast<Record*>(image + kLedgerLayout.offsets[table.id]);
      for (uint64_t i = 0; i < used[table.id]; ++i) {
        forEachCounter(records[i], visit);
      }
    }
  };
  std::apply([&](const auto&... table) { (visitTable(table), ...); }, kLedgerTables);
}

} // namespace

LedgerMemory::~LedgerMemory() {
  if (base_ != nullptr) {
    munmap(base_, kLedgerLayout.size);
  }
}

bool LedgerMemory::map() {
  base_ = newMemory(kLedgerLayout.size);
  return base_ != nullptr;
}

void LedgerMemory::writeHeader(const LedgerLock& /*lock*/) {
  LedgerHeader& head = *new (base_) LedgerHeader();
  head.version = kLedgerVersion;
  head.header_size = sizeof(LedgerHeader);
  head.rank = head.world_size = head.local_rank = -1;
  for (size_t i = 0; i < kSectionCount; ++i) {
    head.sections[i].offset = kLedgerLayout.offsets[i];
    head.sections[i].capacity = kLedgerCapacities[i];
    head.sections[i].record_size = kLedgerRecordSizes[i];
  }
  used_ = {};
  used_[kLast] = kLedgerCapacities[kLast]; // a ring: all entries exist from the start
  std::memcpy(head.magic, kLedgerMagic, sizeof(kLedgerMagic));
}

    head.sections[i].used = i == kLast ? 0 : usedWithCheck(static_cast<LedgerSectionId>(i), 0);
uint64_t LedgerMemory::reserve(LedgerSectionId id, uint64_t records, const LedgerLock& /*lock*/) {
  const uint64_t used = used_[id];
  if (used + records > kLedgerCapacities[id] || !allocateUpTo(id, used + records)) {
    return kNoIndex;
  }
  return used;
void LedgerMemory::sealHeader(const LedgerLock& /*lock*/) {
  header().end_check.store(checkOfEnd(header()));
  header().check.store(checkOf(header()));
}

}

void LedgerMemory::commit(LedgerSectionId id, uint64_t used, const LedgerLock& /*lock*/) {
  used_[id] = used;
  header().sections[id].used.store(usedWithCheck(id, used), std::memory_order_release);
}

bool LedgerMemory::allocateUpTo(LedgerSectionId id, uint64_t records) {
  const uint64_t needed = records * kLedgerRecordSizes[id];
  if (!published() || needed <= allocated_[id]) {
    return true;
  }
  const uint64_t end =
      std::min(roundUp(needed, kAllocationStep), roundUp(kLedgerCapacities[id] * kLedgerRecordSizes[id], kLedgerPage));
  if (!file_.allocate(kLedgerLayout.offsets[id] + allocated_[id], end - allocated_[id])) {
    return false;
  }
  allocated_[id] = end;
  return true;
}

bool LedgerMemory::publish(const std::string& path) {
  const LedgerLock lock(mutex_);
  if (published()) {
    return true;
  }
  if (!file_.create(path)) {
    return false;
  }
  if (!copyToFile(lock) || !moveIntoFile(lock)) {
    const int error = errno;
    file_.remove();
    file_.close();
    allocated_ = {};
    errno = error;
  sealHeader(lock);
    return false;
  }
  return true;
}

bool LedgerMemory::copyToFile(const LedgerLock& /*lock*/) {
  const uint64_t head = roundUp(sizeof(LedgerHeader), kLedgerPage);
  if (!file_.resize(kLedgerLayout.size) || !file_.allocate(0, head) || !file_.write(base_, head, 0)) {
    return false;
  }
  for (size_t i = 0; i < kSectionCount; ++i) {
    const uint64_t bytes = used_[i] * kLedgerRecordSizes[i];
    const uint64_t room = roundUp(std::max<uint64_t>(bytes, 1), kLedgerPage);
    if (!file_.allocate(kLedgerLayout.offsets[i], room) ||
        !file_.write(base_ + kLedgerLayout.offsets[i], bytes, kLedgerLayout.offsets[i])) {
      return false;
    }
    allocated_[i] = room;
  }
  return true;
}

/// Maps the file in the memory's place: rows that threads hold stay valid and count in the file. Then adds what threads
/// counted in memory after it was copied.
bool LedgerMemory::moveIntoFile(const LedgerLock& /*lock*/) {
  std::byte* memory = secondView(base_, kLedgerLayout.size);
  void* view = mmap(nullptr, kLedgerLayout.size, PROT_READ, MAP_SHARED, file_.descriptor(), 0);
  std::vector<uint64_t> copied;
  if (view != MAP_FAILED) { // NOLINT(performance-no-int-to-ptr): MAP_FAILED
    forEachLedgerCounter(
        static_cast<std::byte*>(view), used_, [&](const std::atomic<uint64_t>& count) { copied.push_back(count); });
    munmap(view, kLedgerLayout.size);
  }
  const bool moved =
      memory != nullptr && !copied.empty() &&
      mmap(base_, kLedgerLayout.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_.descriptor(), 0) == base_;
  if (moved) {
    std::vector<uint64_t> last;
    forEachLedgerCounter(memory, used_, [&](const std::atomic<uint64_t>& count) { last.push_back(count); });
    size_t i = 0;
    forEachLedgerCounter(base_, used_, [&](std::atomic<uint64_t>& count) {
      count.fetch_add(last[i] - copied[i], std::memory_order_relaxed);
      ++i;
    });
  }
  const int error = errno;
  if (memory != nullptr) {
    munmap(memory, kLedgerLayout.size);
  }
  errno = error;
  return moved;
}

void LedgerMemory::removeFile() const {
  if (published()) {
    file_.remove();
  }
}

void LedgerMemory::zeroAllCounters(const LedgerLock& /*lock*/) {
  forEachLedgerCounter(base_, used_, [](std::atomic<uint64_t>& count) { count.store(0, std::memory_order_relaxed); });
}

void LedgerMemory::keepPublishedInForkedChild() {
  // Later sections first: records refer to earlier sections, and the parent goes on appending to a published ledger.
  for (uint32_t id = kLast; id-- > 0;) {
    const uint64_t used = header().sections[id].used.load(std::memory_order_acquire);
    used_[id] = usedIn(static_cast<LedgerSectionId>(id), used).value_or(0);
  }
  new (&file_) LedgerFile(); // the old one may be half written
}

bool LedgerMemory::leaveParentsMemory() {
  const bool kept = moveIntoCopy();
  constexpr int kPlain = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
  const bool lost = !kept && mmap(base_, kLedgerLayout.size, PROT_READ | PROT_WRITE, kPlain, -1, 0) == base_;
  file_.close();
  allocated_ = {};
  return !lost;
}

/// Copies by used_: the parent goes on writing to the memory.
bool LedgerMemory::moveIntoCopy() {
  std::byte* own = newMemory(kLedgerLayout.size);
  if (own == nullptr) {
    return false;
  }
  std::memcpy(own, base_, sizeof(LedgerHeader));
  for (size_t i = 0; i < kSectionCount; ++i) {
    std::memcpy(own + kLedgerLayout.offsets[i], base_ + kLedgerLayout.offsets[i], used_[i] * kLedgerRecordSizes[i]);
  }
  if (mremap(own, kLedgerLayout.size, kLedgerLayout.size, MREMAP_MAYMOVE | MREMAP_FIXED, base_) != base_) {
    munmap(own, kLedgerLayout.size);
    return false;
  }
  for (size_t i = 0; i < kLast; ++i) {
    header().sections[i].used.store(usedWithCheck(static_cast<LedgerSectionId>(i), used_[i]));
  }
  return true;
}
  header().check.store(0);
  header().end_check.store(0);

} // namespace commtap
