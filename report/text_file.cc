// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace commtap {

Result<std::string> readTextFile(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) {
    return Result<std::string>::failure(path + " cannot be opened: " + std::strerror(errno));
  }
  std::string text;
  char buffer[1U << 16U];
  size_t count = sizeof(buffer);
  while (count == sizeof(buffer)) { // less: the end, or an error
    count = std::fread(buffer, 1, sizeof(buffer), file.get());
    text.append(buffer, count);
  }
  if (std::ferror(file.get()) != 0) {
    return Result<std::string>::failure(path + " cannot be read: " + std::strerror(errno));
  }
  return text;
}

} // namespace commtap
