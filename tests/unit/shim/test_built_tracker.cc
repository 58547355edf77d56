// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/built_tracker.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Sets variables of the environment for a test. nullptr: not set.
class CacheVariables {
 public:
  CacheVariables(const char* cache, const char* home) : home_(getenv("HOME") == nullptr ? "" : getenv("HOME")) {
    set("XDG_CACHE_HOME", cache);
    set("HOME", home);
  }
  CacheVariables(const CacheVariables&) = delete;
  CacheVariables& operator=(const CacheVariables&) = delete;
  ~CacheVariables() {
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", home_.c_str(), 1);
  }

 private:
  static void set(const char* name, const char* value) {
    const int done = value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    REQUIRE(done == 0);
  }
  std::string home_;
};

/// Returns where a tracker would be, "" if nowhere.
std::string pathOf(const char* torch, size_t size = 4096) {
  std::array<char, 4096> path{};
  return commtap_built_tracker_path(torch, path.data(), size) ? path.data() : "";
}

TEST_CASE("a built tracker has all of torch's version in its name, below the user's cache folder") {
  const std::string end = "/commtap/trackers-" COMMTAP_VERSION "/libcommtap-tracker-2.14.0a0+1a.nv26.so";
  const char* torch = "2.14.0a0+1a.nv26";
  {
    const CacheVariables variables("/cache", "/home/me");
    CHECK(pathOf(torch) == "/cache" + end);
    CHECK(pathOf(torch, 20).empty());
    CHECK(pathOf("../2.14").empty());
  }
  for (const char* no_cache : {static_cast<const char*>(nullptr), "", "relative"}) {
    const CacheVariables variables(no_cache, "/home/me");
    CHECK(pathOf(torch) == "/home/me/.cache" + end);
  }
  for (const char* no_home : {static_cast<const char*>(nullptr), "", "relative"}) {
    const CacheVariables variables(nullptr, no_home);
    CHECK(pathOf(torch).empty());
  }
}

/// A built tracker in a cache folder, as the command makes it.
class BuiltTracker {
 public:
  BuiltTracker() : variables_(cache_.path().c_str(), "/") {
    std::filesystem::create_directories(folder());
    writeText(path(), "");
    for (const std::string& entry : {cache_ / "commtap", folder()}) {
      setMode(entry, 0700);
    }
    setMode(path(), 0600);
  }
  std::string path() const {
    return folder() + "/libcommtap-tracker-9.9.0a0.so";
  }
  std::string folder() const {
    return cache_ / "commtap/trackers-" COMMTAP_VERSION;
  }
  std::string commtapsFolder() const {
    return cache_ / "commtap";
  }
  static void setMode(const std::string& entry, mode_t mode) {
    REQUIRE(chmod(entry.c_str(), mode) == 0);
  }
  bool isFound() const {
    std::array<char, 4096> found{};
    const bool is_found = commtap_find_built_tracker("9.9.0a0", found.data(), found.size());
    CHECK(is_found == (commtap_built_tracker_refusal(path().c_str()) == nullptr));
    CHECK(path() == found.data());
    return is_found;
  }

 private:
  TempFolder cache_;
  CacheVariables variables_;
};

TEST_CASE_FIXTURE(BuiltTracker, "a built tracker is found while only its user can have put it there") {
  CHECK(isFound());
  for (const std::string& entry : {commtapsFolder(), folder(), path()}) {
    const mode_t right = entry == path() ? 0600 : 0700;
    for (const mode_t open : {0020, 0002}) {
      setMode(entry, right | open);
      CHECK_FALSE(isFound());
    }
    setMode(entry, right);
  }
  CHECK(isFound());
}

TEST_CASE_FIXTURE(BuiltTracker, "another user's built tracker is not loaded") {
  if (geteuid() != 0) {
    return;
  }
  for (const std::string& entry : {commtapsFolder(), folder(), path()}) {
    REQUIRE(chown(entry.c_str(), 12345, 12345) == 0);
    CHECK_FALSE(isFound());
    REQUIRE(chown(entry.c_str(), 0, 0) == 0);
  }
}

TEST_CASE_FIXTURE(BuiltTracker, "a symbolic link in place of the tracker or its folder is not followed") {
  std::filesystem::rename(folder(), folder() + "-moved");
  std::filesystem::create_symlink(folder() + "-moved", folder());
  CHECK_FALSE(isFound());
}

} // namespace
} // namespace commtap
