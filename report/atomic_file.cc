// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "report/file_size.h"

namespace commtap {
namespace {

constexpr char kTemporarySuffix[] = ".tmp";

bool writeAndSync(int fd, std::string_view content) {
  if (!isAllowedFileSize(content.size())) {
    return false;
  }
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return false;
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  return fsync(fd) == 0;
}

std::string failure(const std::string& what, const std::string& path) {
  return what + " " + path + ": " + std::strerror(errno);
}

} // namespace

std::string writeFileAtomically(const std::string& path, std::string_view content) {
  // A name that no one has: pids come again, and a temporary file that a killed process left must not be in the way.
  std::string temporary = path + ".XXXXXX" + kTemporarySuffix;
  const int fd = mkostemps(temporary.data(), sizeof(kTemporarySuffix) - 1, O_CLOEXEC);
  if (fd < 0) {
    return failure("cannot create a file beside", path);
  }
  bool ok = writeAndSync(fd, content);
  const int error = errno;
  ok = close(fd) == 0 && ok;
  if (!ok) {
    errno = error;
  } else {
    ok = std::rename(temporary.c_str(), path.c_str()) == 0;
  }
  if (ok) {
    return {};
  }
  std::string message = failure("cannot write", path);
  unlink(temporary.c_str());
  return message;
}

std::string makeFolders(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
      return failure("cannot make folder", folder);
    }
    if (slash == std::string::npos) {
      break;
    }
  }
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return path + " is no folder";
  }
  if (access(path.c_str(), W_OK | X_OK) != 0) {
    return failure("cannot write to folder", path);
  }
  return {};
}

} // namespace commtap
