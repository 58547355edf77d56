// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace commtap {

/// The file behind a published ledger. A job that becomes a daemon closes all descriptors, this one too, and its next
/// file gets the number. So each use first checks that the descriptor still refers to this file.
class LedgerFile {
 public:
  /// Notes in the ledger of another process that this process sends it a deadly signal, and when; of several within a
  /// minute, the last signal and the first time. Does nothing if the file is not a ledger of this format.
  static void noteSignalSent(const std::string& path, uint32_t signal);

  LedgerFile() = default;
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;
  ~LedgerFile() {
    close();
  }

  /// Creates the file, which must not exist. Returns false with errno set.
  bool create(const std::string& path);
  bool isOpen() const {
    return fd_ >= 0;
  }
  const std::string& path() const {
    return path_;
  }

  /// Returns a descriptor for immediate use: the held one, or a new one of the same file. Returns -1 with errno set.
  int descriptor();
  /// Returns false with errno set.
  bool resize(uint64_t size);
  /// Allocates space for these bytes, so that a full disk is an error here and not SIGBUS later. Returns false with
  /// errno set.
  bool allocate(uint64_t offset, uint64_t size);
  bool write(const void* data, uint64_t size, uint64_t offset);

  /// Returns true if the process has changed its root folder (chroot) since create(), and `path()` names another file
  /// there, or none: the process can reach neither file nor folder by their names.
  bool isOutsideOfRoot() const;

  /// Deletes the file. Returns false with errno set.
  bool remove() const;
  void close();

 private:
  struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;

    bool operator==(const FileIdentity&) const = default;
  };

  static std::optional<FileIdentity> identityOf(const std::string& path);
  bool holdsFile(int fd) const;

  int fd_ = -1;
  FileIdentity file_;
  FileIdentity root_; ///< the process's root folder when the file was made
  std::string path_;
};

} // namespace commtap
