// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/say.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "tests/unit/child.h"

namespace commtap {
namespace {

TEST_CASE("a warning is one line with the process's id") {
  const ChildResult child = runInChild([] {
    unsetenv("COMMTAP_LOG");
    commtap_say("%s is %d", "x", 5);
    sayLine(std::to_string(getpid()));
  });
  const std::string pid = child.said.substr(child.said.find('\n') + 1);
  CHECK(child.said == "[commtap pid " + pid.substr(0, pid.size() - 1) + "] warning: x is 5\n" + pid);
}

TEST_CASE("a long warning is cut, and still ends its line") {
  const std::string path(5000, 'x');
  const ChildResult child = runInChild([&] { commtap_say("%s", path.c_str()); });
  CHECK(child.said.size() == 1023);
  CHECK(child.said.back() == '\n');
}

TEST_CASE("what a warning quotes cannot control a terminal") {
  const ChildResult child = runInChild([] {
    commtap_say(
        "%s",
        "a\x1b[2J\n\xc2\x9b"
        "b");
  });
  CHECK(child.said.find("warning: a\\x1b[2J\\x0a\\xc2\\x9bb\n") != std::string::npos);
  const std::string path(5000, '\x1b');
  const ChildResult cut = runInChild([&] { commtap_say("%s", path.c_str()); });
  CHECK(cut.said.size() <= 1023);
  CHECK(cut.said.ends_with("\\x1b\n"));
}

TEST_CASE("COMMTAP_LOG=off silences it, other levels do not") {
  for (const char* level : {"off", "error", "debug"}) {
    const ChildResult child = runInChild([&] {
      setenv("COMMTAP_LOG", level, 1);
      commtap_say("something");
    });
    CHECK(child.said.empty() == (std::string(level) == "off"));
  }
}

TEST_CASE("a closed stderr does no harm") {
  const ChildResult child = runInChild([] {
    close(STDERR_FILENO);
    commtap_say("something");
  });
  CHECK(child.status == 0);
}

} // namespace
} // namespace commtap
