// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_records.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "report/base/file_descriptor.h"
#include "report/ledger/ledger_checks.h"

namespace commtap {
namespace {

/// What a record is called in the note of its damage, by section.
constexpr std::array<std::string_view, kSectionCount> kRecordNames = {
    "a name",
    "the ranks of a group",
    "a group",
    "a module",
    "a parameter",
    "the durations of a row of collectives",
    "a row of collectives",
    "a row of operations",
    "a communicator",
    "a row of calls to NCCL",
    "a CUDA graph",
    "a call in a CUDA graph",
    "a kind and group of the steps",
    "a step",
    "one of the last collectives",
    "the sums of a group's collectives",
    "a member of a row of collectives",
    "a peer of split sizes",
    "the split sizes of a row of collectives",
    "the time in which a module stood still",
    "a call that had not returned",
};

} // namespace

std::string LedgerRecords::locate() {
  std::string error = checkHeader();
  if (error.empty()) {
    checkSeals();
    // Later sections first: records refer to earlier sections, and a running process goes on appending.
    for (int id = kSectionCount - 1; id >= 0; --id) {
      locate(static_cast<LedgerSectionId>(id));
    }
    if (isCutBeforeRunId()) {
      error = "a ledger cut off before the name of its run (" + std::to_string(bytes_.size()) + " bytes)";
    }
  }
  return error;
}

/// A file that does not say of which run it is would look like a run of its own.
bool LedgerRecords::isCutBeforeRunId() const {
  const LedgerSection& strings = header().sections[kStrings];
  const bool is_cut = strings.offset + strings.used.load(std::memory_order_acquire) > bytes_.size();
  return is_cut && strings.offset + header().run_id + sizeof(LedgerString) > bytes_.size();
}

std::string LedgerRecords::checkHeader() {
  if (bytes_.size() < sizeof(kLedgerMagic) + sizeof(uint32_t) ||
      std::memcmp(bytes_.data(), kLedgerMagic, sizeof(kLedgerMagic)) != 0) {
    return "not a commtap ledger";
  }
  uint32_t version = 0;
  std::memcpy(&version, bytes_.data() + sizeof(kLedgerMagic), sizeof(version));
  if (version != kLedgerVersion) {
    return "a ledger of format " + std::to_string(version) + ", this commtap reads format " +
           std::to_string(kLedgerVersion) + ": use the commtap that the job ran with";
  }
  if (bytes_.size() < sizeof(LedgerHeader) || header().header_size != sizeof(LedgerHeader)) {
    return "a ledger cut off inside its header (" + std::to_string(bytes_.size()) + " bytes)";
  }
  return {};
}

void LedgerRecords::checkSeals() {
  const LedgerHeader& head = header();
  const uint32_t check = head.check.load(std::memory_order_acquire);
  if (check != 0 && check != checkOf(head)) {
    damaged("the header does not fit its check: what it says about the process may be wrong");
  }
  const uint32_t end_check = head.end_check.load(std::memory_order_acquire);
  if (end_check != 0 && end_check != checkOfEnd(head)) {
    damaged("the header does not fit its check: how and when the process ended may be wrong");
  }
}

void LedgerRecords::damaged(std::string_view what) {
  if (damage_.empty()) {
    damage_ = what;
  }
}

void LedgerRecords::locate(LedgerSectionId id) {
  const LedgerSection& section = header().sections[id];
  const uint64_t size = bytes_.size();
  const uint64_t offset = std::min<uint64_t>(section.offset, size);
  const uint64_t room = (size - offset) / kLedgerRecordSizes[id];
  const uint64_t written = section.used.load(std::memory_order_acquire);
  if (section.record_size != kLedgerRecordSizes[id] || section.offset % sizeof(uint64_t) != 0) {
    damaged("a section has another layout than this version writes; it was left out");
    return;
  }
  const uint64_t there = std::min(room, section.capacity);
  sections_[id] = {bytes_.data() + offset, there};
  const std::optional<uint64_t> used = id == kLast ? std::min(written, section.capacity) : usedIn(id, written);
  if (!used) {
    damaged("the number of records of a section is damaged; those that fit their checks were read");
    sections_[id].count = countFittingRecords(id);
    return;
  }
  if (*used > there) {
    damaged("the file is cut off; what it still holds was read");
  }
  sections_[id].count = std::min(*used, there);
}

/// Returns the number of records up to the first that does not fit its check. Names and ranks are checked when they are
/// read.
uint64_t LedgerRecords::countFittingRecords(LedgerSectionId id) const {
  if (id == kStrings || id == kRanks) {
    return count(id);
  }
  return [&]<size_t... kIds>(std::index_sequence<kIds...>) {
    return (countFittingIn<static_cast<LedgerSectionId>(kIds)>(id) + ...);
  }
  (std::make_index_sequence<kSectionCount>());
}

void LedgerRecords::noteDamagedRecord(LedgerSectionId id) {
  damaged(std::string(kRecordNames[id]) + " is damaged and was left out");
}

uint32_t LedgerRecords::numberUpTo(uint32_t most, uint32_t number, const char* damage) {
  if (number > most) {
    damaged(damage);
    return 0;
  }
  return number;
}

std::string_view LedgerRecords::textView(StringId id) {
  if (id == 0) {
    return "";
  }
  const Section& strings = sections_[kStrings];
  LedgerString head{};
  if (id <= strings.count && strings.count - id >= sizeof(head)) {
    std::memcpy(&head, strings.data + id, sizeof(head));
    if (head.length <= kMaxString && head.length <= strings.count - sizeof(head) - id) {
      const std::string_view text(reinterpret_cast<const char*>(strings.data + id + sizeof(head)), head.length);
      if (head.check == checkOf(text, id)) {
        return text;
      }
    }
  }
  damaged("a name is missing or damaged; it reads as \"?\"");
  return "?";
}

namespace {

constexpr uint64_t kMaxLedgerSize = 1ULL << 32U; ///< bytes; commtap's ledgers are far smaller

/// O_NONBLOCK: opening a named pipe in the folder must not block.
int openToRead(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

std::string errnoText(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

/// Reads `size` bytes at `offset` into `buffer`; a shorter file leaves zeros. Returns false on a read error.
bool readAt(int fd, std::byte* buffer, uint64_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t count = pread(fd, buffer, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return false;
    }
    if (count == 0) {
      return true;
    }
    buffer += count;
    size -= static_cast<uint64_t>(count);
    offset += static_cast<uint64_t>(count);
  }
  return true;
}

} // namespace

Result<LedgerImage> LedgerImage::load(const std::string& path) {
  const FileDescriptor file(openToRead(path));
  if (!file.isOpen()) {
    return Result<LedgerImage>::failure(errnoText("cannot be opened"));
  }
  return load(file);
}

Result<LedgerImage> LedgerImage::load(const FileDescriptor& file) {
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || static_cast<uint64_t>(info.st_size) > kMaxLedgerSize) {
    return Result<LedgerImage>::failure("not a commtap ledger");
  }
  LedgerImage image(static_cast<uint64_t>(info.st_size));
  if (std::string error = image.read(file.get()); !error.empty()) {
    return Result<LedgerImage>::failure(std::move(error));
  }
  return image;
}

LedgerImage::LedgerImage(uint64_t size) {
  // New anonymous pages read as zeros and take memory only once they are written.
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* memory = mmap(nullptr, std::max<uint64_t>(size, 1), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory != MAP_FAILED) { // NOLINT(performance-no-int-to-ptr): MAP_FAILED
    data_ = static_cast<std::byte*>(memory);
    size_ = size;
  }
}

LedgerImage::LedgerImage(LedgerImage&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

LedgerImage::~LedgerImage() {
  if (data_ != nullptr) {
    munmap(data_, std::max<uint64_t>(size_, 1));
  }
}

std::string LedgerImage::read(int fd) {
  if (data_ == nullptr) {
    return "cannot be read: no memory for it";
  }
  const uint64_t head = std::min<uint64_t>(size_, sizeof(LedgerHeader));
  if (!readAt(fd, data_, head, 0)) {
    return errnoText("cannot be read");
  }
  if (head < sizeof(LedgerHeader) || std::memcmp(data_, kLedgerMagic, sizeof(kLedgerMagic)) != 0) {
    return {};
  }
  if (reinterpret_cast<const LedgerHeader*>(data_)->version != kLedgerVersion) {
    return {}; // its sections are not known, and readLedger() refuses it
  }
  // Later sections first: records refer only to earlier sections, so a record's references are complete even if the
  // process goes on writing.
  for (uint32_t id = kSectionCount; id-- > 0;) {
    if (std::string error = id == kSequences ? "" : readSection(fd, id); !error.empty()) {
      return error;
    }
  }
  // After the groups, so that the sums hold every collective that a group has counted, except one that is being added.
  return readSection(fd, kSequences);
}

std::string LedgerImage::readSection(int fd, uint32_t id) {
  LedgerSection section{};
  const uint64_t at = offsetof(LedgerHeader, sections) + id * sizeof(LedgerSection);
  if (!readAt(fd, reinterpret_cast<std::byte*>(&section), sizeof(section), at)) {
    return errnoText("cannot be read");
  }
  std::memcpy(data_ + at, &section, sizeof(section));
  const uint64_t offset = std::min<uint64_t>(section.offset, size_);
  // A number that does not fit its check may mean all records.
  const uint64_t written = section.used.load();
  const uint64_t used =
      id == kLast ? written : usedIn(static_cast<LedgerSectionId>(id), written).value_or(section.capacity);
  const uint64_t bytes = std::min({used, section.capacity, size_}) * kLedgerRecordSizes[id];
  if (!readAt(fd, data_ + offset, std::min<uint64_t>(bytes, size_ - offset), offset)) {
    return errnoText("cannot be read");
  }
  return {};
}

bool isLedgerFile(const std::string& path) {
  char start[sizeof(kLedgerMagic)] = {};
  const FileDescriptor file(openToRead(path));
  return file.isOpen() && readAt(file.get(), reinterpret_cast<std::byte*>(start), sizeof(start), 0) &&
         std::memcmp(start, kLedgerMagic, sizeof(start)) == 0;
}

} // namespace commtap
