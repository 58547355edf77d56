// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/process.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace commtap {
namespace {

/// Runs in a process of its own, because a lowered limit cannot always be raised again.
bool holdsInChild(bool (*test)()) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(test() ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST_CASE("without a limit the address space is not known to end") {
  CHECK(holdsInChild([] {
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_AS, &none) != 0 || !addressSpaceLeft();
  }));
}

TEST_CASE("what is mapped is taken from the limit, whether it is used or not") {
  CHECK(holdsInChild([] {
    constexpr uint64_t kLimit = 1ULL << 60U; // far above what a sanitizer maps
    constexpr uint64_t kMapped = 1ULL << 30U;
    const rlimit limit{kLimit, kLimit};
    setrlimit(RLIMIT_AS, &limit);
    const uint64_t before = addressSpaceLeft().value_or(0);
    mmap(nullptr, kMapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return before > 0 && before < kLimit && addressSpaceLeft() == before - kMapped;
  }));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they end a process that finds no memory
TEST_CASE("nothing is left beyond the limit") {
  CHECK(holdsInChild([] {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_AS, &limit);
    return addressSpaceLeft() == 0U;
  }));
}
#endif

} // namespace
} // namespace commtap
