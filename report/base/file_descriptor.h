// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace commtap {

/// Owns a file descriptor returned by open() and closes it in the destructor. An object that holds -1 closes nothing.
/// The constructor leaves errno alone.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (isOpen()) {
      close(fd_);
    }
  }

  bool isOpen() const {
    return fd_ >= 0;
  }
  int get() const {
    return fd_;
  }
  /// Tries to lock the file without waiting. The lock ends with this object. Returns true only if another process holds
  /// the lock: a file system without locks must not block any process.
  bool isLockedByAnother() const {
    return isOpen() && flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  }

 private:
  int fd_;
};

} // namespace commtap
