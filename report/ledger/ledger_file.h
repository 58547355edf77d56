// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace commtap {

/// The file behind a published ledger. It lives in a process that is not ours: a job that turns itself into a daemon
/// closes every descriptor it finds, ours too, and its next file gets the number. So each use first makes sure that
/// the descriptor still means this file.
class LedgerFile {
 public:
  LedgerFile() = default;
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;
  ~LedgerFile() {
    close();
  }

  /// Makes the file; there must be none. False with errno set.
  bool create(const std::string& path);
  bool isOpen() const {
    return fd_ >= 0;
  }
  const std::string& path() const {
    return path_;
  }

  /// A descriptor for immediate use: the one held, or else a new one of the same file. -1 with errno set.
  int descriptor();
  /// False with errno set.
  bool resize(uint64_t size);
  /// Space for these bytes, so that a full disk is an error code here and no SIGBUS later. False with errno set.
  bool allocate(uint64_t offset, uint64_t size);
  bool write(const void* data, uint64_t size, uint64_t offset);

  /// Takes the file out of its folder; false with errno set.
  bool remove() const;
  void close();

 private:
  bool holdsFile(int fd) const;

  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::string path_;
};

} // namespace commtap
