// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace commtap {

/// A file that appears whole or not at all: it has a temporary name in its folder until commit(). Mode 0600. Without
/// fsync, for which the end of a job would wait as long as the disk is busy, seconds at times: only the machine's own
/// end can lose the file. After the first failure nothing more is done, and commit() tells it.
class AtomicFile {
 public:
  /// Begins a file in the folder of `path`, from whose name it takes its temporary one.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Without commit() nothing is left.
  ~AtomicFile();

  void append(std::string_view content);
  /// Puts `content` in the place of as many bytes that have been appended.
  void replace(uint64_t offset, std::string_view content);
  /// How many bytes have been appended.
  uint64_t size() const {
    return size_;
  }

  /// Gives the file its name, in the folder where it was begun; whatever has that name is replaced.
  /// Returns "" or one line with the path and the system's reason.
  std::string commit(const std::string& path);

 private:
  bool isGood() const {
    return error_.empty();
  }

  std::string path_;
  std::string temporary_;
  std::string error_; ///< "" so far
  int fd_;
  uint64_t size_ = 0;
};

/// A whole file, as AtomicFile. Returns "" or one line with the path and the system's reason.
std::string writeFileAtomically(const std::string& path, std::string_view content);

/// mkdir -p, mode 0775 less the umask. Returns "" or one line with the path and the system's reason. Below a folder
/// that everyone may write to, such as /tmp, only what is root's or this user's is entered: a folder or a link that
/// another user has put there before us would have our files.
std::string makeFolders(const std::string& path);

} // namespace commtap
