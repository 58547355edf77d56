// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace commtap {

/// What open() has returned, closed at the end; -1 stays with nothing to close. The constructor leaves errno alone.
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
  /// Asks for the file's lock, which ends with this object, and does not wait. True if another holds it; a file system
  /// without locks must not keep anybody from anything.
  bool isLockedByAnother() const {
    return isOpen() && flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  }

 private:
  int fd_;
};

} // namespace commtap
