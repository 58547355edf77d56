// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/atomic_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace commtap {
namespace {

constexpr char kTemporarySuffix[] = ".tmp";

std::string failure(const std::string& what, const std::string& path) {
  return what + " " + path + ": " + std::strerror(errno);
}

/// Returns true if another user may have created `folder` for our files to land in: everyone may write to `parent`, and
/// `folder` belongs neither to root nor to this user. A mount point never counts: only root can mount there.
bool mayBeForeign(const std::string& parent, const std::string& folder) {
  struct stat above {};
  struct stat entry {};
  return stat(parent.c_str(), &above) == 0 && (above.st_mode & S_IWOTH) != 0 && lstat(folder.c_str(), &entry) == 0 &&
         entry.st_uid != 0 && entry.st_uid != geteuid() && entry.st_dev == above.st_dev;
}

std::string makeFolder(const std::string& parent, const std::string& folder) {
  constexpr mode_t kMode = 0775; // no write permission for others, even if the job has umask 0
  if (mkdir(folder.c_str(), kMode) != 0 && errno != EEXIST) {
    return failure("cannot make folder", folder);
  }
  return mayBeForeign(parent, folder)
             ? folder + " belongs to another user, and everyone may write to its parent: use another folder"
             : "";
}

} // namespace

bool writeAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      errno = written == 0 ? ENOSPC : errno;
      return false;
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool isSpecialFile(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
    return true;
  }
  const bool is_link = lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
  return is_link && (path.starts_with("/dev/") || path.starts_with("/proc/"));
}

// Uses a random name: a pid can be reused, and the temporary file of a killed process must not block this one.
AtomicFile::AtomicFile(const std::string& path)
    : path_(path),
      temporary_(path + ".XXXXXX" + kTemporarySuffix),
      fd_(mkostemps(temporary_.data(), sizeof(kTemporarySuffix) - 1, O_CLOEXEC)),
      is_temporary_(fd_ >= 0) {
  if (fd_ < 0) {
    error_ = failure("cannot create a temporary file for", path);
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) {
    close(fd_);
  }
  if (is_temporary_) {
    unlink(temporary_.c_str());
  }
}

void AtomicFile::append(std::string_view content) {
  if (!isGood()) {
    return;
  }
  if (!isAllowedFileSize(size_ + content.size()) || !writeAll(fd_, content)) {
    error_ = failure("cannot write", path_);
    return;
  }
  size_ += content.size();
}

bool AtomicFile::finishWriting(const std::string& path) {
  if (isGood() && fd_ >= 0 && close(std::exchange(fd_, -1)) != 0) {
    error_ = failure("cannot write", path);
  }
  return isGood();
}

std::string AtomicFile::commit(const std::string& path) {
  if (isGood() && isSpecialFile(path)) {
    error_ = path + " is not a regular file";
  }
  if (!finishWriting(path)) {
    return error_;
  }
  is_temporary_ = std::rename(temporary_.c_str(), path.c_str()) != 0;
  return error_ = is_temporary_ ? failure("cannot write", path) : "";
}

std::string AtomicFile::commitNew(const std::string& path, bool& is_taken) {
  is_taken = false;
  if (!finishWriting(path)) {
    return error_;
  }
  if (link(temporary_.c_str(), path.c_str()) == 0) {
    return {}; // the destructor removes the other name
  }
  is_taken = errno == EEXIST;
  return is_taken ? path + " exists" : commit(path); // a file system without links
}

std::string writeFileAtomically(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.append(content);
  return file.commit(path);
}

std::string makeFolders(const std::string& path) {
  std::string parent = path.starts_with('/') ? "/" : ".";
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string folder = path.substr(0, slash);
    if (std::string error = makeFolder(parent, folder); !error.empty()) {
      return error;
    }
    if (slash == std::string::npos) {
      break;
    }
    parent = std::move(folder);
  }
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return path + " is not a folder";
  }
  if (access(path.c_str(), W_OK | X_OK) != 0) {
    return failure("cannot write to folder", path);
  }
  return {};
}

bool isAllowedFileSize(uint64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
  return true;
}

} // namespace commtap
