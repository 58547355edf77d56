// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/tracker_file.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "report/base/atomic_file.h"
#include "tests/unit/child.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// The path that was found, or "not PATH".
std::string find(const std::string& own, size_t size = 4096) {
  std::array<char, 4096> path{};
  const bool found = commtap_find_tracker(own.c_str(), "9.9", path.data(), size);
  return (found ? "" : "not ") + std::string(path.data());
}

TEST_CASE("an installed tracker is in trackers/, one of the build tree next to the stub's folder") {
  const TempFolder folder;
  REQUIRE(makeFolders(folder / "shim/trackers").empty());
  REQUIRE(makeFolders(folder / "tracker").empty());
  const std::string own = folder / "shim/libcommtap.so";
  const std::string built = folder / "shim/../tracker/libcommtap-tracker-9.9.so";
  const std::string installed = folder / "shim/trackers/libcommtap-tracker-9.9.so";
  CHECK(find(own) == "not " + installed);
  writeText(built, "");
  CHECK(find(own) == built);
  writeText(installed, "");
  CHECK(find(own) == installed);
  CHECK(find(own, 16).substr(0, 4) == "not ");
}

/// Returns the message of opening this file as a tracker for torch minor version `minor`; "opened" on success.
std::string open(const std::string& path, const char* minor, bool any_torch = false) {
  return runInChild([&] {
           if (commtap_open_tracker(path.c_str(), minor, any_torch) != nullptr) {
             sayLine("opened");
           }
         })
      .said;
}

TEST_CASE("a tracker for this stub and torch is opened") {
  CHECK(open(COMMTAP_FAKE_TRACKER, "9.9") == "opened\n");
}

TEST_CASE("a tracker for another torch is named, and what to install") {
  const std::string said = open(COMMTAP_FAKE_TRACKER, "9.10");
  CHECK(
      said.find(
          "torch 9.10 is loaded: " COMMTAP_FAKE_TRACKER
          " is built for torch 9.9: install the tracker for torch 9.10; nothing is counted: run `commtap doctor`\n") !=
      std::string::npos);
}

TEST_CASE("a tracker for another torch is opened if any torch is allowed") {
  CHECK(open(COMMTAP_FAKE_TRACKER, "9.10", true) == "opened\n");
}

TEST_CASE("a tracker of another commtap, and a library that is no tracker, are refused") {
  for (const char* path : {COMMTAP_OTHER_TRACKER, COMMTAP_STUB}) {
    CHECK(
        open(path, "9.9").find(std::string(path) + " is not a tracker of this version of commtap") !=
        std::string::npos);
  }
}

TEST_CASE("a file that cannot be loaded is reported with the loader's reason") {
  const TempFolder folder;
  writeText(folder / "tracker.so", "cut off while it was copied");
  const std::string said = open(folder / "tracker.so", "9.9");
  CHECK(said.find(folder / "tracker.so cannot be loaded: ") != std::string::npos);
  CHECK(said.find("file too short") != std::string::npos);
}

} // namespace
} // namespace commtap
