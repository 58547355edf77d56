// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "report/base/file_descriptor.h"

namespace commtap {

/// Names a file for as long as it is open somewhere. Its path can name another file at any time.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

inline FileIdentity identityOf(const struct stat& facts) {
  return {facts.st_dev, facts.st_ino};
}

/// Returns the identity of what `path` names, not following a link at its end; nullopt if it names nothing. `folder`:
/// what a relative path is relative to, or AT_FDCWD.
std::optional<FileIdentity> identityAt(int folder, const std::string& path);

/// Deletes `path` if it names `file`, which the caller holds open. Deletes nothing else, even if other processes rename
/// files at that time: `path` first gets a name that no other process knows, `file` is looked for under that name, and
/// anything else gets its old name back. The name keeps the ending of `path`, so a report whose deletion was cut off by
/// a crash is still found as a report. Needs no file descriptor. Returns "", also if nothing is there; otherwise one
/// line that says why something stays, with errno set.
std::string removeFile(int folder, const std::string& path, const FileIdentity& file);

/// A regular file in a folder, held open: what was read through the descriptor is what remove() deletes.
class HeldFile {
 public:
  /// Opens `path`, relative to the open folder `folder` or AT_FDCWD. Follows no link at its end, and opens no pipe and
  /// no device.
  HeldFile(int folder, std::string path);

  /// Returns false, with errno set, if `path` names no regular file or it cannot be opened.
  bool isOpen() const {
    return file_.isOpen();
  }
  const FileDescriptor& descriptor() const {
    return file_;
  }
  /// Returns the file's facts when it was opened.
  const struct stat& facts() const {
    return facts_;
  }
  /// Returns whether the file has not been written to since it was opened.
  bool isUnchanged() const;

  /// Deletes the file, unless `path` names another one or the file was written to since it was opened. Returns "", also
  /// if the file is already gone, or one line with the reason.
  std::string remove() const;

 private:
  int folder_;
  std::string path_;
  struct stat facts_ {};
  FileDescriptor file_;
};

/// Opens a folder below the open folder `root` by its path from there, "" for `root` itself. Follows no link on the
/// way. Returns -1 with errno set on failure.
int openFolderBelow(int root, const std::string& path);

} // namespace commtap
