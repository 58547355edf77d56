// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/held_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace commtap {
namespace {

/// Opening a pipe must not block, and a terminal must not become this process's own.
constexpr int kHold = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/// Renames to a name that is free. Returns false with errno set on failure.
bool renameToFree(int folder, const std::string& from, const std::string& to) {
  if (renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) {
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return false;
  }
  // File systems such as NFS cannot refuse to replace. There, a file that comes between these two calls is lost.
  if (identityAt(folder, to)) {
    errno = EEXIST;
    return false;
  }
  return renameat(folder, from.c_str(), folder, to.c_str()) == 0;
}

/// Returns a name in the folder of `path` that no other process can guess, with the ending of `path`.
std::string privateName(const std::string& path) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random)) {
    random = static_cast<uint64_t>(getpid());
  }
  char name[64];
  std::snprintf(name, sizeof(name), ".commtap-removes-%016" PRIx64, random);
  constexpr size_t kLongestEnding = 200;    // a name has at most 255 bytes
  const size_t begin = path.rfind('/') + 1; // 0 without a slash
  size_t dot = path.find('.', begin);
  while (dot != std::string::npos && path.size() - dot > kLongestEnding) {
    dot = path.find('.', dot + 1);
  }
  return path.substr(0, begin) + name + (dot == std::string::npos ? "" : path.substr(dot));
}

/// Opens what was a regular file a moment ago: opening a device can have effects. Returns -1 with errno set on failure.
int openRegular(int folder, const std::string& path, struct stat& facts) {
  if (fstatat(folder, path.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    return -1;
  }
  const bool is_regular = S_ISREG(facts.st_mode);
  const int fd = is_regular ? openat(folder, path.c_str(), kHold) : -1;
  if (is_regular && (fd < 0 || (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)))) {
    return fd;
  }
  if (fd >= 0) {
    close(fd);
  }
  errno = EINVAL;
  return -1;
}

} // namespace

std::optional<FileIdentity> identityAt(int folder, const std::string& path) {
  struct stat facts {};
  return fstatat(folder, path.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 ? std::optional(identityOf(facts))
                                                                         : std::nullopt;
}

std::string removeFile(int folder, const std::string& path, const FileIdentity& file) {
  const std::optional<FileIdentity> named = identityAt(folder, path);
  if (!named) {
    return errno == ENOENT ? "" : std::strerror(errno);
  }
  if (*named != file) {
    errno = ESTALE;
    return "another file has its name";
  }
  const std::string hidden = privateName(path);
  if (!renameToFree(folder, path, hidden)) {
    return errno == ENOENT ? "" : std::strerror(errno);
  }
  const bool is_file = identityAt(folder, hidden) == file;
  if (is_file && unlinkat(folder, hidden.c_str(), 0) == 0) {
    return "";
  }
  const int error = is_file ? errno : ESTALE;
  const std::string reason = is_file ? std::strerror(error) : "another file has its name";
  const bool is_back = renameToFree(folder, hidden, path);
  errno = error;
  return is_back ? reason : reason + ": it is now " + hidden;
}

HeldFile::HeldFile(int folder, std::string path)
    : folder_(folder), path_(std::move(path)), file_(openRegular(folder_, path_, facts_)) {}

bool HeldFile::isUnchanged() const {
  struct stat now {};
  return fstat(file_.get(), &now) == 0 && now.st_size == facts_.st_size &&
         now.st_mtim.tv_sec == facts_.st_mtim.tv_sec && now.st_mtim.tv_nsec == facts_.st_mtim.tv_nsec;
}

std::string HeldFile::remove() const {
  return isUnchanged() ? removeFile(folder_, path_, identityOf(facts_)) : "it is being written";
}

int openFolderBelow(int root, const std::string& path) {
  int folder = fcntl(root, F_DUPFD_CLOEXEC, 0);
  for (size_t begin = 0; folder >= 0 && begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    const int next = name == ".." ? -1 : openat(folder, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int error = name == ".." ? EINVAL : errno;
    close(folder);
    errno = error;
    folder = next;
    begin = end + 1;
  }
  return folder;
}

} // namespace commtap
