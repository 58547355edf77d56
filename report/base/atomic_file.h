// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace commtap {

/// Returns whether `path` names a device, a pipe or a socket, or a symbolic link in /dev or /proc such as /dev/stdout.
/// A file must not be renamed over it: root would replace /dev/null for the whole machine.
bool isSpecialFile(const std::string& path);

/// Writes all of `content`. Returns false with errno set on failure.
bool writeAll(int fd, std::string_view content);

/// A file whose content becomes visible atomically: until commit() it has a temporary name in its folder. Its mode is
/// 0600. No fsync(): a busy disk could delay the job's exit by seconds. Only a machine crash can lose the file. After
/// an error every call does nothing and commit() returns the error.
class AtomicFile {
 public:
  /// Creates the temporary file in the folder of `path`, under a name derived from that of `path`.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Removes the temporary file if it was not renamed.
  ~AtomicFile();

  void append(std::string_view content);

  /// Renames the temporary file to `path`, which must be in the same folder, and replaces any regular file of that
  /// name. Returns "", or one line with the path and the system's reason.
  std::string commit(const std::string& path);
  /// Like commit(), but replaces nothing: sets `is_taken` and returns an error if a file has that name. The content is
  /// kept then, for another name. A file system without hard links replaces a file that was created at the same time.
  std::string commitNew(const std::string& path, bool& is_taken);

 private:
  bool finishWriting(const std::string& path);

  bool isGood() const {
    return error_.empty();
  }

  std::string path_;
  std::string temporary_;
  std::string error_; ///< "" until the first error
  int fd_;
  bool is_temporary_; ///< whether the temporary file exists
  uint64_t size_ = 0;
};

/// Writes a complete file through AtomicFile. Returns "", or one line with the path and the system's reason.
std::string writeFileAtomically(const std::string& path, std::string_view content);

/// Creates a folder and its missing parents (mkdir -p) with mode 0775 minus the umask. Returns "", or one line with the
/// path and the system's reason. Below a folder that everyone may write to, such as /tmp, accepts only entries owned by
/// root or this user. A folder or symbolic link planted there by another user would receive our files.
std::string makeFolders(const std::string& path);

/// Returns false with errno set if `ulimit -f` forbids this process a file of that size. Call it before growing a file:
/// beyond the limit the kernel also sends SIGXFSZ, which would kill the job.
bool isAllowedFileSize(uint64_t bytes);

} // namespace commtap
