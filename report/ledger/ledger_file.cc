// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "report/base/atomic_file.h"
#include "report/base/file_descriptor.h"
#include "report/base/process.h"
#include "report/ledger/ledger_format.h"

namespace commtap {
namespace {

/// Returns the time of the signal that begins the end of the process, if one is sent now: of SIGTERM and then SIGKILL,
/// the first.
uint64_t firstSentNs(int fd) {
  const uint64_t now_ns = wallClockNs();
  uint64_t earlier_ns = 0;
  const ssize_t size = pread(fd, &earlier_ns, sizeof(earlier_ns), offsetof(LedgerHeader, signal_sent_at_ns));
  const bool has_begun = size == sizeof(earlier_ns) && earlier_ns <= now_ns && now_ns - earlier_ns < kEndingNs;
  return has_begun ? earlier_ns : now_ns;
}

int openOther(const std::string& path) {
  return open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/// Returns whether the file is a ledger of this format and of this user.
bool isLedger(const FileDescriptor& file) {
  struct stat facts {};
  char start[offsetof(LedgerHeader, check)] = {};
  if (!file.isOpen() || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != geteuid() ||
      pread(file.get(), start, sizeof(start), 0) != static_cast<ssize_t>(sizeof(start))) {
    return false;
  }
  uint32_t version = 0;
  std::memcpy(&version, start + offsetof(LedgerHeader, version), sizeof(version));
  return std::memcmp(start, kLedgerMagic, sizeof(kLedgerMagic)) == 0 && version == kLedgerVersion;
}

template <typename T>
bool writeAt(const FileDescriptor& file, T value, size_t offset) {
  return pwrite(file.get(), &value, sizeof(value), static_cast<off_t>(offset)) == sizeof(value);
}

} // namespace

void LedgerFile::noteSignalSent(const std::string& path, uint32_t signal) {
  const FileDescriptor file(openOther(path));
  if (isLedger(file) && writeAt(file, firstSentNs(file.get()), offsetof(LedgerHeader, signal_sent_at_ns))) {
    writeAt(file, signal, offsetof(LedgerHeader, signal_sent));
  }
}

void LedgerFile::noteEndedBy(const std::string& path, uint32_t signal) {
  const FileDescriptor file(openOther(path));
  if (isLedger(file)) {
    writeAt(file, signal, offsetof(LedgerHeader, ended_by));
  }
}

bool LedgerFile::create(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat facts {};
  if (fd < 0 || fstat(fd, &facts) != 0) {
    return false;
  }
  fd_ = fd;
  file_ = identityOf(facts);
  root_ = identityAt(AT_FDCWD, "/").value_or(FileIdentity());
  path_ = path;
  return true;
}

bool LedgerFile::isOutsideOfRoot() const {
  return isOpen() && identityAt(AT_FDCWD, "/") != root_ && identityAt(AT_FDCWD, path_) != file_;
}

bool LedgerFile::holdsFile(int fd) const {
  struct stat facts {};
  return fd >= 0 && fstat(fd, &facts) == 0 && identityOf(facts) == file_;
}

int LedgerFile::descriptor() {
  if (holdsFile(fd_)) {
    return fd_;
  }
  const int fd = open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (!holdsFile(fd)) {
    if (fd >= 0) {
      ::close(fd);
      errno = ESTALE;
    }
    return -1;
  }
  fd_ = fd;
  return fd;
}

bool LedgerFile::resize(uint64_t size) {
  const int fd = descriptor();
  return fd >= 0 && isAllowedFileSize(size) && ftruncate(fd, static_cast<off_t>(size)) == 0;
}

bool LedgerFile::allocate(uint64_t offset, uint64_t size) {
  const int fd = descriptor();
  int error = fd < 0 ? errno : EINTR;
  while (error == EINTR) {
    error = posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(size));
  }
  errno = error;
  return error == 0;
}

bool LedgerFile::write(const void* data, uint64_t size, uint64_t offset) {
  const int fd = descriptor();
  const auto* bytes = static_cast<const char*>(data);
  while (fd >= 0 && size > 0) {
    const ssize_t written = pwrite(fd, bytes, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    bytes += written;
    size -= static_cast<uint64_t>(written);
    offset += static_cast<uint64_t>(written);
  }
  return fd >= 0;
}

bool LedgerFile::remove() const {
  return removeFile(AT_FDCWD, path_, file_).empty();
}

void LedgerFile::close() {
  if (holdsFile(fd_)) {
    ::close(fd_);
  }
  fd_ = -1;
  path_.clear();
}

LedgerView::~LedgerView() {
  const int error = errno;
  for (size_t i = 0; i < extent_.range_count; ++i) {
    if (ranges_[i] != nullptr) {
      munmap(ranges_[i], extent_.all_ranges[i].size);
    }
  }
  errno = error;
}

template <typename Map>
bool LedgerView::mapRanges(const Map& map) {
  for (size_t i = 0; i < extent_.range_count; ++i) {
    void* mapped = map(extent_.all_ranges[i]);
    if (mapped == MAP_FAILED) { // NOLINT(performance-no-int-to-ptr)
      return false;
    }
    ranges_[i] = static_cast<std::byte*>(mapped);
  }
  return true;
}

bool LedgerView::mapMemory() {
  // MAP_SHARED although no process shares it: only shared memory can be mapped twice.
  constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
  return mapRanges(
      [](const MappedRange& range) { return mmap(nullptr, range.size, PROT_READ | PROT_WRITE, kFlags, -1, 0); });
}

bool LedgerView::mapAgain(std::byte* base) {
  return mapRanges([base](const MappedRange& range) {
    return mremap(
        base + range.offset, 0, range.size, MREMAP_MAYMOVE); // an old size of 0 leaves the first view in place
  });
}

bool LedgerView::mapFile(int fd) {
  return mapRanges([fd](const MappedRange& range) {
    return mmap(nullptr, range.size, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(range.offset));
  });
}

bool LedgerView::moveTo(std::byte* base) {
  for (size_t i = 0; i < extent_.range_count; ++i) {
    const MappedRange& range = extent_.all_ranges[i];
    if (mremap(ranges_[i], range.size, range.size, MREMAP_MAYMOVE | MREMAP_FIXED, base + range.offset) ==
        MAP_FAILED) { // NOLINT(performance-no-int-to-ptr)
      return false;
    }
    ranges_[i] = nullptr;
  }
  return true;
}

std::byte* LedgerView::at(uint64_t offset) const {
  size_t i = extent_.range_count - 1;
  while (i > 0 && extent_.all_ranges[i].offset > offset) {
    --i;
  }
  return ranges_[i] + (offset - extent_.all_ranges[i].offset);
}

} // namespace commtap
