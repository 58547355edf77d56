// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace commtap {
namespace {

struct SectionShape {
  uint64_t capacity;
  uint32_t record_size;
};

// Virtual sizes: a page exists only once it is written. Together about 50 MiB of address space.
constexpr std::array<SectionShape, kSectionCount> kShapes = {{
    {16U << 20U, 1},
    {2U << 20U, sizeof(uint32_t)},
    {8U << 10U, sizeof(LedgerGroup)},
    {128U << 10U, sizeof(LedgerModule)},
    {256U << 10U, sizeof(LedgerParameter)},
    {64U << 10U, sizeof(LedgerCollective)},
}};

constexpr uint64_t kPage = 4096;
/// The file system is asked for space in steps of this size, so that a full disk is an error code and no SIGBUS.
constexpr uint64_t kAllocationStep = 64U << 10U;
constexpr size_t kRowIndexSize = 128U << 10U; ///< twice the rows, a power of two
constexpr size_t kMaxString = 16384;          ///< bytes; longer names are cut

uint64_t roundUp(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}

size_t hashOf(const CollectiveKey& key) {
  uint64_t words[sizeof(CollectiveKey) / sizeof(uint64_t)];
  std::memcpy(words, &key, sizeof(key));
  uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const uint64_t word : words) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32U;
  }
  return static_cast<size_t>(hash);
}

bool sameKey(const CollectiveKey& a, const CollectiveKey& b) {
  return std::memcmp(&a, &b, sizeof(CollectiveKey)) == 0;
}

bool writeAll(int fd, const std::byte* data, uint64_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t written = pwrite(fd, data, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    data += written;
    size -= static_cast<uint64_t>(written);
    offset += static_cast<uint64_t>(written);
  }
  return true;
}

bool allocateRange(int fd, uint64_t offset, uint64_t size) {
  int error = EINTR;
  while (error == EINTR) {
    error = posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(size));
  }
  errno = error;
  return error == 0;
}

} // namespace

std::unique_ptr<LedgerWriter> LedgerWriter::create() {
  std::unique_ptr<LedgerWriter> writer(new (std::nothrow) LedgerWriter());
  if (!writer) {
    return nullptr;
  }
  writer->row_index_.reset(new (std::nothrow) std::atomic<uint32_t>[kRowIndexSize]());
  uint64_t size = roundUp(sizeof(LedgerHeader), kPage);
  for (size_t i = 0; i < kSectionCount; ++i) {
    writer->offsets_[i] = size;
    size += roundUp(kShapes[i].capacity * kShapes[i].record_size, kPage);
  }
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || !writer->row_index_) { // NOLINT(performance-no-int-to-ptr): MAP_FAILED
    return nullptr;
  }
  writer->base_ = static_cast<std::byte*>(memory);
  writer->size_ = size;
  writer->initialize();
  return writer;
}

LedgerWriter::~LedgerWriter() {
  if (base_ != nullptr) {
    munmap(base_, size_);
  }
  if (fd_ >= 0) {
    close(fd_);
  }
}

void LedgerWriter::initialize() {
  LedgerHeader& head = *new (base_) LedgerHeader();
  head.version = kLedgerVersion;
  head.header_size = sizeof(LedgerHeader);
  head.rank = head.world_size = head.local_rank = -1;
  for (size_t i = 0; i < kSectionCount; ++i) {
    head.sections[i].offset = offsets_[i];
    head.sections[i].capacity = kShapes[i].capacity;
    head.sections[i].record_size = kShapes[i].record_size;
  }
  section(kStrings).used.store(sizeof(uint32_t)); // the empty string: length 0 at offset 0
  addModule(kNoIndex, "Global", "", 0);
  std::memcpy(head.magic, kLedgerMagic, sizeof(kLedgerMagic));
}

/// Index of the first of `records` new records, not yet published; kNoIndex if they do not fit. Needs mutex_.
uint64_t LedgerWriter::reserve(LedgerSectionId id, uint64_t records) {
  const uint64_t used = section(id).used.load(std::memory_order_relaxed);
  if (used + records > kShapes[id].capacity || !allocateUpTo(id, used + records)) {
    return kNoIndex;
  }
  return used;
}

bool LedgerWriter::allocateUpTo(LedgerSectionId id, uint64_t records) {
  const uint64_t needed = records * kShapes[id].record_size;
  if (fd_ < 0 || needed <= allocated_[id]) {
    return true;
  }
  const uint64_t end =
      std::min(roundUp(needed, kAllocationStep), roundUp(kShapes[id].capacity * kShapes[id].record_size, kPage));
  if (!allocateRange(fd_, offsets_[id] + allocated_[id], end - allocated_[id])) {
    return false;
  }
  allocated_[id] = end;
  return true;
}

StringId LedgerWriter::intern(std::string_view text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return internLocked(text);
}

StringId LedgerWriter::internLocked(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  text = text.substr(0, kMaxString);
  const auto known = strings_.find(std::string(text));
  if (known != strings_.end()) {
    return known->second;
  }
  const auto length = static_cast<uint32_t>(text.size());
  const uint64_t room = roundUp(sizeof(length) + length, sizeof(uint32_t));
  const uint64_t offset = reserve(kStrings, room);
  if (offset == kNoIndex) {
    header().not_seen[static_cast<size_t>(NotSeen::kStringsFull)].count.fetch_add(1);
    return text == "?" ? 0 : internLocked("?");
  }
  std::memcpy(at(kStrings) + offset, &length, sizeof(length));
  std::memcpy(at(kStrings) + offset + sizeof(length), text.data(), length);
  section(kStrings).used.store(offset + room, std::memory_order_release);
  strings_.emplace(text, static_cast<StringId>(offset));
  return static_cast<StringId>(offset);
}

std::string_view LedgerWriter::text(StringId id) const {
  const std::byte* start = base_ + offsets_[kStrings] + id;
  uint32_t length = 0;
  std::memcpy(&length, start, sizeof(length));
  return {reinterpret_cast<const char*>(start + sizeof(length)), length};
}

uint32_t LedgerWriter::addGroup(
    std::string_view name,
    std::string_view desc,
    std::string_view backend,
    uint32_t size,
    uint32_t rank,
    std::span<const uint32_t> ranks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint32_t first_rank = kNoIndex;
  if (!ranks.empty()) {
    const uint64_t at_rank = reserve(kRanks, ranks.size());
    if (at_rank != kNoIndex) {
      std::memcpy(at(kRanks) + at_rank * sizeof(uint32_t), ranks.data(), ranks.size_bytes());
      section(kRanks).used.store(at_rank + ranks.size(), std::memory_order_release);
      first_rank = static_cast<uint32_t>(at_rank);
    }
  }
  const LedgerGroup group{internLocked(name), internLocked(desc), internLocked(backend), size, rank, first_rank};
  const uint64_t index = reserve(kGroups, 1);
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kGroupsFull, name, 1);
    return kNoIndex;
  }
  std::memcpy(at(kGroups) + index * sizeof(LedgerGroup), &group, sizeof(group));
  section(kGroups).used.store(index + 1, std::memory_order_release);
  return static_cast<uint32_t>(index);
}

std::string_view LedgerWriter::groupName(uint32_t group) const {
  const auto* groups = reinterpret_cast<const LedgerGroup*>(base_ + offsets_[kGroups]);
  return group == kNoIndex ? std::string_view() : text(groups[group].name);
}

uint32_t
LedgerWriter::addModule(uint32_t parent, std::string_view component, std::string_view class_name, uint32_t flags) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const StringId component_id = internLocked(component);
  const StringId class_id = internLocked(class_name);
  const uint64_t index = reserve(kModules, 1);
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kModulesFull, component, 1);
    return kNoIndex;
  }
  LedgerModule& module = modules()[index];
  module.parent.store(parent, std::memory_order_relaxed);
  module.component.store(component_id, std::memory_order_relaxed);
  module.class_name = class_id;
  module.flags = flags;
  std::fill(std::begin(module.calls), std::end(module.calls), 0);
  section(kModules).used.store(index + 1, std::memory_order_release);
  return static_cast<uint32_t>(index);
}

void LedgerWriter::reparentModule(uint32_t module, uint32_t parent, std::string_view component) {
  const std::lock_guard<std::mutex> lock(mutex_);
  modules()[module].component.store(internLocked(component), std::memory_order_relaxed);
  modules()[module].parent.store(parent, std::memory_order_release);
}

void LedgerWriter::addParameter(uint32_t module, const LedgerParameterFacts& facts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const LedgerParameter parameter{
      module,
      internLocked(facts.name),
      internLocked(facts.shape),
      internLocked(facts.local_shape),
      internLocked(facts.dtype),
      internLocked(facts.mesh),
      internLocked(facts.placements),
      facts.requires_grad ? 1U : 0U};
  const uint64_t index = reserve(kParameters, 1);
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kParametersFull, facts.name, 1);
    return;
  }
  std::memcpy(at(kParameters) + index * sizeof(LedgerParameter), &parameter, sizeof(parameter));
  section(kParameters).used.store(index + 1, std::memory_order_release);
}

LedgerCollective* LedgerWriter::row(const CollectiveKey& key) {
  const size_t hash = hashOf(key);
  LedgerCollective* found = find(key, hash);
  return found != nullptr ? found : addRow(key, hash);
}

LedgerCollective* LedgerWriter::find(const CollectiveKey& key, size_t hash) {
  for (size_t slot = hash;; ++slot) {
    const uint32_t row = row_index_[slot % kRowIndexSize].load(std::memory_order_acquire);
    if (row == 0) {
      return nullptr;
    }
    if (sameKey(rows()[row - 1].key, key)) {
      return &rows()[row - 1];
    }
  }
}

LedgerCollective* LedgerWriter::addRow(const CollectiveKey& key, size_t hash) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (LedgerCollective* found = find(key, hash)) {
    return found;
  }
  const uint64_t index = reserve(kCollectives, 1);
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kCollectiveRowsFull, text(key.op), 1);
    return nullptr;
  }
  // In the child of a fork the page may show what the parent has written there since.
  LedgerCollective& row = rows()[index];
  row.key = key;
  row.lowered[0] = row.lowered[1] = 0;
  row.count = row.bytes = 0;
  section(kCollectives).used.store(index + 1, std::memory_order_release);
  size_t slot = hash;
  while (row_index_[slot % kRowIndexSize].load(std::memory_order_relaxed) != 0) {
    ++slot;
  }
  row_index_[slot % kRowIndexSize].store(static_cast<uint32_t>(index + 1), std::memory_order_release);
  return &row;
}

void LedgerWriter::notSeen(NotSeen reason, std::string_view detail, uint64_t count) {
  LedgerNotSeen& entry = header().not_seen[static_cast<size_t>(reason)];
  if (entry.count.load(std::memory_order_relaxed) > 0) {
    entry.count.fetch_add(count, std::memory_order_relaxed);
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  notSeenLocked(reason, detail, count);
}

void LedgerWriter::notSeenLocked(NotSeen reason, std::string_view detail, uint64_t count) {
  LedgerNotSeen& entry = header().not_seen[static_cast<size_t>(reason)];
  if (entry.detail.load(std::memory_order_relaxed) == 0) {
    entry.detail.store(internLocked(detail), std::memory_order_relaxed);
  }
  entry.count.fetch_add(count, std::memory_order_relaxed);
}

bool LedgerWriter::publish(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (fd_ >= 0) {
    return true;
  }
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return false;
  }
  const bool copied = ftruncate(fd, static_cast<off_t>(size_)) == 0 && copyTo(fd);
  // The same address: rows that others hold stay valid, and go on counting in the file.
  if (!copied || mmap(base_, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != base_) {
    const int error = errno;
    close(fd);
    unlink(path.c_str());
    allocated_ = {};
    errno = error;
    return false;
  }
  fd_ = fd;
  path_ = path;
  return true;
}

bool LedgerWriter::copyTo(int fd) {
  const uint64_t head = roundUp(sizeof(LedgerHeader), kPage);
  if (!allocateRange(fd, 0, head) || !writeAll(fd, base_, head, 0)) {
    return false;
  }
  for (size_t i = 0; i < kSectionCount; ++i) {
    const uint64_t used = header().sections[i].used.load() * kShapes[i].record_size;
    const uint64_t room = roundUp(std::max<uint64_t>(used, 1), kPage);
    if (!allocateRange(fd, offsets_[i], room) || !writeAll(fd, base_ + offsets_[i], used, offsets_[i])) {
      return false;
    }
    allocated_[i] = room;
  }
  return true;
}

void LedgerWriter::removeFile() {
  if (fd_ >= 0) {
    unlink(path_.c_str());
  }
}

void LedgerWriter::resetInForkedChild() {
  // The thread that held the mutex may not exist in the child.
  new (&mutex_) std::mutex();
  if (fd_ >= 0) {
    constexpr int kOwn = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
    if (mmap(base_, size_, PROT_READ | PROT_WRITE, kOwn, fd_, 0) != base_ &&
        mmap(base_, size_, PROT_READ | PROT_WRITE, kOwn | MAP_ANONYMOUS, -1, 0) == base_) {
      initialize(); // the names are lost, but the parent's ledger is left alone
    }
    close(fd_);
  }
  fd_ = -1;
  path_.clear();
  allocated_ = {};
  zeroCounters();
}

void LedgerWriter::zeroCounters() {
  LedgerHeader& head = header();
  head.exit.store(static_cast<uint32_t>(ExitKind::kRunning));
  for (LedgerNotSeen& entry : head.not_seen) {
    entry.count.store(0);
  }
  for (uint64_t i = 0; i < section(kModules).used.load(); ++i) {
    for (auto& calls : modules()[i].calls) {
      calls.store(0, std::memory_order_relaxed);
    }
  }
  for (uint64_t i = 0; i < section(kCollectives).used.load(); ++i) {
    rows()[i].count.store(0, std::memory_order_relaxed);
    rows()[i].bytes.store(0, std::memory_order_relaxed);
  }
}

} // namespace commtap
