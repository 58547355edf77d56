// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/child.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace commtap {
namespace {

std::string readAll(int fd) {
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t size = 0; (size = read(fd, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<size_t>(size));
  }
  return text;
}

} // namespace

ChildResult runInChild(const std::function<void()>& body) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    for (int number = 1; number < NSIG; ++number) {
      signal(number, SIG_DFL); // doctest handles some
    }
    body();
    _exit(0);
  }
  close(ends[1]);
  ChildResult result{0, readAll(ends[0])};
  close(ends[0]);
  REQUIRE(waitpid(child, &result.status, 0) == child);
  return result;
}

void checkInChild(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(holds() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

void sayLine(const std::string& line) {
  const std::string text = line + "\n";
  REQUIRE(write(STDERR_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

} // namespace commtap
