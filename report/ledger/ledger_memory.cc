// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_memory.h"
#include "report/base/truncation_guard.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <vector>

#include "report/ledger/ledger_checks.h"

namespace commtap {
namespace {

/// The step in which the file system is asked for space, so that a full disk is an error code and not SIGBUS.
constexpr uint64_t kAllocationStep = 64U << 10U;

/// Visits all counters of a ledger, in the same order each time. `at(offset)` returns the address of an offset, `used`
/// is the number of records by section.
template <typename At>
void forEachLedgerCounter(
    const At& at,
    const std::array<uint64_t, kSectionCount>& used,
    const CounterVisitor auto& visit) {
  forEachCounter(*reinterpret_cast<LedgerHeader*>(at(0)), visit);
  const auto visitTable = [&](const auto& table) {
    using Record = typename std::decay_t<decltype(table)>::Record;
    if constexpr (std::is_class_v<Record>) {
      auto* records = reinterpret_cast<Record*>(at(kLedgerLayout.offsets[table.id]));
      for (uint64_t i = 0; i < used[table.id]; ++i) {
        forEachCounter(records[i], visit);
      }
    }
  };
  std::apply([&](const auto&... table) { (visitTable(table), ...); }, kLedgerTables);
}

} // namespace

LedgerMemory::~LedgerMemory() {
  TruncationGuard::unwatch(base_);
  for (const MappedRange& range : extent_->ranges()) {
    if (base_ != nullptr) {
      munmap(base_ + range.offset, range.size);
    }
  }
}

/// Maps all of the layout and gives back what is between the ranges: so the offsets of sections are constants.
bool LedgerMemory::map(LedgerSize size) {
  // MAP_SHARED although no process shares it: only shared memory can be mapped twice (LedgerView::mapAgain()).
  constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
  void* memory = mmap(nullptr, kLedgerLayout.size, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (memory == MAP_FAILED) { // NOLINT(performance-no-int-to-ptr): MAP_FAILED
    return false;
  }
  base_ = static_cast<std::byte*>(memory);
  extent_ = &extentOf(size);
  uint64_t end = 0;
  for (const MappedRange& range : extent_->ranges()) {
    if (range.offset > end) {
      munmap(base_ + end, range.offset - end);
    }
    end = range.offset + range.size;
  }
  return true;
}

void LedgerMemory::writeHeader(const LedgerLock& /*lock*/) {
  LedgerHeader& head = *new (base_) LedgerHeader();
  head.version = kLedgerVersion;
  head.header_size = sizeof(LedgerHeader);
  head.rank = head.world_size = head.local_rank = -1;
  for (size_t i = 0; i < kSectionCount; ++i) {
    head.sections[i].offset = kLedgerLayout.offsets[i];
    head.sections[i].capacity = extent_->capacities[i];
    head.sections[i].record_size = kLedgerRecordSizes[i];
    head.sections[i].used = i == kLast ? 0 : usedWithCheck(static_cast<LedgerSectionId>(i), 0);
  }
  used_ = {};
  used_[kLast] = kLedgerCapacities[kLast]; // a ring: all entries exist from the start
  std::memcpy(head.magic, kLedgerMagic, sizeof(kLedgerMagic));
}

void LedgerMemory::sealHeader(const LedgerLock& /*lock*/) {
  header().end_check.store(checkOfEnd(header()));
  header().check.store(checkOf(header()));
}

uint64_t LedgerMemory::reserve(LedgerSectionId id, uint64_t records, const LedgerLock& /*lock*/) {
  const uint64_t used = used_[id];
  if (used + records > extent_->capacities[id] || !allocateUpTo(id, used + records)) {
    return kNoIndex;
  }
  return used;
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
  const uint64_t end = std::min(
      roundUp(needed, kAllocationStep), roundUp(extent_->capacities[id] * kLedgerRecordSizes[id], kLedgerPage));
  // Allocating makes a truncated file longer again, and what was lost could not be told from zeros.
  if (isLost() || !file_.allocate(kLedgerLayout.offsets[id] + allocated_[id], end - allocated_[id])) {
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
  sealHeader(lock);
  if (!copyToFile(lock) || !moveIntoFile(lock)) {
    const int error = errno;
    TruncationGuard::unwatch(base_);
    file_.remove();
    file_.close();
    allocated_ = {};
    errno = error;
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
  LedgerView memory(*extent_);
  std::vector<uint64_t> copied;
  {
    LedgerView file(*extent_);
    if (!memory.mapAgain(base_) || !file.mapFile(file_.descriptor())) {
      return false;
    }
    forEachLedgerCounter(
        [&](uint64_t offset) { return file.at(offset); },
        used_,
        [&](const std::atomic<uint64_t>& count) { copied.push_back(count); });
  }
  TruncationGuard::watch(base_, extent_->ranges(), kLedgerLayout.size, file_.descriptor());
  if (!mapInPlace(MAP_SHARED, file_.descriptor())) {
    return false;
  }
  std::vector<uint64_t> last;
  forEachLedgerCounter(
      [&](uint64_t offset) { return memory.at(offset); },
      used_,
      [&](const std::atomic<uint64_t>& count) { last.push_back(count); });
  size_t i = 0;
  forEachLedgerCounter(
      [&](uint64_t offset) { return base_ + offset; },
      used_,
      [&](std::atomic<uint64_t>& count) {
        count.fetch_add(last[i] - copied[i], std::memory_order_relaxed);
        ++i;
      });
  return true;
}

bool LedgerMemory::mapInPlace(int flags, int fd) {
  for (const MappedRange& range : extent_->ranges()) {
    std::byte* start = base_ + range.offset;
    const auto offset = static_cast<off_t>(fd < 0 ? 0 : range.offset);
    if (mmap(start, range.size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, offset) != start) {
      return false;
    }
  }
  return true;
}

bool LedgerMemory::isLost() const {
  return published() && TruncationGuard::isLost(base_);
}

void LedgerMemory::removeFile() const {
  if (published()) {
    file_.remove();
  }
}

void LedgerMemory::zeroAllCounters(const LedgerLock& /*lock*/) {
  forEachLedgerCounter(
      [this](uint64_t offset) { return base_ + offset; },
      used_,
      [](std::atomic<uint64_t>& count) { count.store(0, std::memory_order_relaxed); });
}

void LedgerMemory::keepPublishedInForkedChild() {
  // Later sections first: records refer to earlier sections, and the parent goes on appending to a published ledger.
  for (uint32_t id = kSectionCount; id-- > 0;) {
    if (id != kLast) {
      const uint64_t used = header().sections[id].used.load(std::memory_order_acquire);
      used_[id] = usedIn(static_cast<LedgerSectionId>(id), used).value_or(0);
    }
  }
  new (&file_) LedgerFile(); // the old one may be half written
}

bool LedgerMemory::leaveParentsMemory() {
  // isLost() would ask a file that repairInForkedChild() has given up. A loss may show while the copy is made.
  const bool was_lost = TruncationGuard::isLost(base_);
  const bool kept = moveIntoCopy() && !was_lost && !TruncationGuard::isLost(base_);
  TruncationGuard::unwatch(base_);
  const bool lost = !kept && mapInPlace(MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1); // shared: see map()
  file_.close();
  allocated_ = {};
  header().check.store(0);
  header().end_check.store(0);
  return !lost;
}

/// Copies by used_: the parent goes on writing to the memory.
bool LedgerMemory::moveIntoCopy() {
  LedgerView own(*extent_);
  if (!own.mapMemory()) {
    return false;
  }
  std::memcpy(own.at(0), base_, sizeof(LedgerHeader));
  for (size_t i = 0; i < kSectionCount; ++i) {
    const uint64_t offset = kLedgerLayout.offsets[i];
    std::memcpy(own.at(offset), base_ + offset, used_[i] * kLedgerRecordSizes[i]);
  }
  if (!own.moveTo(base_)) {
    return false;
  }
  for (size_t i = 0; i < kSectionCount; ++i) {
    if (i != kLast) {
      header().sections[i].used.store(usedWithCheck(static_cast<LedgerSectionId>(i), used_[i]));
    }
  }
  return true;
}

} // namespace commtap
