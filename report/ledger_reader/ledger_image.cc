// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "report/base/file_descriptor.h"
#include "report/ledger/ledger_checks.h"

namespace commtap {
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
