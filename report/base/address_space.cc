// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/address_space.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "report/base/file_descriptor.h"

namespace commtap {
namespace {

/// Returns the size of this process's mappings in bytes; 0 if /proc does not say.
uint64_t mappedBytes() {
  const FileDescriptor file(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[64] = {};
  if (!file.isOpen() || read(file.get(), text, sizeof(text) - 1) <= 0) {
    return 0;
  }
  return std::strtoull(text, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

std::optional<uint64_t> addressSpaceLeft() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  const uint64_t mapped = mappedBytes();
  return mapped < limit.rlim_cur ? limit.rlim_cur - mapped : 0;
}

} // namespace commtap
