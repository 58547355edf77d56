// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

#include "report/base/file_descriptor.h"

namespace commtap {

Result<std::string> readTextFile(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) {
    return Result<std::string>::failure(path + " cannot be opened: " + std::strerror(errno));
  }
  std::string text;
  char buffer[1U << 16U];
  size_t count = sizeof(buffer);
  while (count == sizeof(buffer)) { // a smaller count means end of file or an error
    count = std::fread(buffer, 1, sizeof(buffer), file.get());
    text.append(buffer, count);
  }
  if (std::ferror(file.get()) != 0) {
    return Result<std::string>::failure(path + " cannot be read: " + std::strerror(errno));
  }
  return text;
}

Result<std::string> readStartOfFile(const std::string& path, size_t size) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file.isOpen()) {
    return Result<std::string>::failure(path + " cannot be opened: " + std::strerror(errno));
  }
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return Result<std::string>::failure(path + " is not a regular file");
  }
  std::string text(std::min<uint64_t>(size, static_cast<uint64_t>(facts.st_size)), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = read(file.get(), text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return Result<std::string>::failure(path + " cannot be read: " + std::strerror(errno));
    }
    if (count == 0) {
      break;
    }
    done += static_cast<size_t>(count);
  }
  text.resize(done);
  return text;
}

} // namespace commtap
