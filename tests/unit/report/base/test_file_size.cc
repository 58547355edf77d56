// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/atomic_file.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace commtap {
namespace {

TEST_CASE("isAllowedFileSize accepts sizes up to the limit") {
  CHECK(isAllowedFileSize(1ULL << 40U));
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(isAllowedFileSize(4096) && !isAllowedFileSize(4097) && errno == EFBIG ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

} // namespace
} // namespace commtap
