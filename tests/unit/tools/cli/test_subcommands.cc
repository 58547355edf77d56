// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommands.h"

#include <pty.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("the first format is the default that the help names") {
  std::string format = "text";
  const Option option = formatOption(format, {"text", "json"});
  CHECK(option.help == "Default: text");
  CHECK(placeholderOf(option) == "text|json");
}

TEST_CASE("a path that is not given is the folder that jobs write to") {
  std::string path;
  const Option option = readPath("PATH", path, "A folder");
  CHECK(option.help == "A folder; default: that of COMMTAP_OUT, else commtap-out");
  CHECK((option.otherwise == saidDefaultFolder));
}

std::string folderFor(const char* out) {
  out == nullptr ? unsetenv("COMMTAP_OUT") : setenv("COMMTAP_OUT", out, 1);
  std::string folder = defaultFolder();
  unsetenv("COMMTAP_OUT");
  return folder;
}

TEST_CASE("the default folder is that of COMMTAP_OUT, up to what differs between processes") {
  CHECK(folderFor(nullptr) == "commtap-out");
  CHECK(folderFor("") == "commtap-out");
  CHECK(folderFor("/data/out") == "/data/out");
  CHECK(folderFor("/data/%j/rank%r") == "/data");
  CHECK(folderFor("/data/run-%j") == "/data");
  CHECK(folderFor("/data/50%%/out") == "/data/50%/out");
  CHECK(folderFor("%h/out") == ".");
  CHECK(folderFor("/%j") == "/");
}

/// Returns what `body` writes to stderr, which is a terminal.
template <typename Body>
std::string onTerminal(Body body) {
  int master = -1;
  int terminal = -1;
  REQUIRE(openpty(&master, &terminal, nullptr, nullptr, nullptr) == 0);
  std::fflush(stderr);
  const int saved = dup(STDERR_FILENO);
  dup2(terminal, STDERR_FILENO);
  body();
  std::fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(terminal);
  // A terminal's text arrives in pieces, so one read may not return all of it. An error marks the end.
  std::string text;
  char part[4096];
  for (ssize_t count = 0; (count = read(master, part, sizeof(part))) > 0;) {
    text.append(part, static_cast<size_t>(count));
  }
  close(master);
  return text;
}

TEST_CASE("a progress bar appears after a second and is erased at the end") {
  const std::string text = onTerminal([] {
    withProgress([](const auto& progress) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1100));
      progress(1, 2);
      return 0;
    });
  });
  CHECK(text.find("] 1/2, 1 s") != std::string::npos);
  CHECK(text.ends_with("\r\x1b[K"));
}

TEST_CASE("no progress bar appears for short work or without a terminal") {
  CHECK(onTerminal([] {
          withProgress([](const auto& progress) {
            progress(1, 2);
            progress(0, 0);
            return 0;
          });
        }).empty());
}

} // namespace

} // namespace commtap
