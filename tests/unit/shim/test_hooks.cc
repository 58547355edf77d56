// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>

#include "tests/unit/child.h"
#include "tests/unit/shim/loaded_tables.h"

namespace commtap {
namespace {

ChildResult endsWithTracker(const std::function<void()>& end) {
  return runInChild([&] {
    ::commtap_loaded.tracker = &sayingTracker();
    end();
  });
}

TEST_CASE("each way out of a process without exit handlers finishes the tracker and ends as it would") {
  for (const auto& end :
       {std::function<void()>([] { _exit(7); }), std::function<void()>([] { _Exit(7); }), std::function<void()>([] {
          quick_exit(7);
        })}) {
    const ChildResult child = endsWithTracker(end);
    CHECK(child.said == "finish 2 7\n");
    CHECK(WIFEXITED(child.status));
    CHECK(WEXITSTATUS(child.status) == 7);
  }
}

TEST_CASE("an abort is a death by signal") {
  const ChildResult child = endsWithTracker([] { abort(); });
  CHECK(child.said == "finish 3 6\n");
  CHECK(WIFSIGNALED(child.status));
  CHECK(WTERMSIG(child.status) == SIGABRT);
}

TEST_CASE("only a signal that ends this process finishes the tracker") {
  ChildResult child = endsWithTracker([] { kill(getpid(), SIGTERM); });
  CHECK(child.said == "finish 3 15\n");
  CHECK(WTERMSIG(child.status) == SIGTERM);

  child = endsWithTracker([] {
    sayLine(std::to_string(kill(getpid(), 0)));
    _exit(0);
  });
  CHECK(child.said == "0\nfinish 2 0\n");
}

TEST_CASE("the tracker learns of a signal that ends another process, before it is sent") {
  const ChildResult child = endsWithTracker([] {
    const int failed = kill(getppid(), SIGUSR1 + 1000);
    const int error = errno;
    for (const int signal : {0, SIGCONT}) { // end nothing
      kill(getppid(), signal);
    }
    const pid_t other = fork();
    if (other == 0) {
      setpgid(0, 0);
      pause();
    }
    setpgid(other, other);
    sayLine(std::to_string(failed) + " " + std::to_string(error == EINVAL));
    sayLine("sent " + std::to_string(killpg(other, SIGTERM)));
    int status = 0;
    waitpid(other, &status, 0);
    sayLine("ended by " + std::to_string(WTERMSIG(status)));
    _exit(0);
  });
  CHECK(child.said == "-1 1\nsignals other 15\nsent 0\nchild ended by 15\nended by 15\nfinish 2 0\n");
}

} // namespace
} // namespace commtap
