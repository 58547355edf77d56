// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/html_page.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace commtap {
namespace {

std::string pageOf(std::string_view connect, std::string_view data) {
  std::string page;
  page.reserve(
      kPageBeforeConnect.size() + connect.size() + kPageBeforeData.size() + data.size() + kPageAfterData.size());
  page.append(kPageBeforeConnect).append(connect).append(kPageBeforeData).append(data).append(kPageAfterData);
  return page;
}

} // namespace

std::string htmlPage(std::string_view data) {
  return pageOf("", data);
}

std::string livePage() {
  return pageOf("; connect-src 'self'", "null");
}

namespace {

/// Returns whether a variable names a display, or a browser of the user's, which an editor sets for a remote machine.
bool hasDisplay() {
  constexpr std::array kNames = {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"};
  return std::any_of(kNames.begin(), kNames.end(), [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  });
}

/// Starts a program in a session of its own, so that it outlives this process and its terminal.
bool start(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) {
    words.push_back(word.data());
  }
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, words[0], &actions, &attributes, words.data(), environ) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return started;
}

} // namespace

bool openInBrowser(const std::string& path) {
  return hasDisplay() && (start({"xdg-open", path}) || start({"python3", "-m", "webbrowser", path}));
}

} // namespace commtap
