// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/installation_check.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// An installation with one tracker and one Python part.
class InstallationFixture {
 public:
  InstallationFixture() {
    put("lib/libcommtap.so");
    put("lib/trackers/libcommtap-tracker-2.13.so");
    put("lib/trackers/python/libcommtap-python-3.11.so");
  }
  void put(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    writeText(folder / name, "");
  }

  TempFolder folder;
  std::string library = folder / "lib/libcommtap.so";
  std::string tracker = folder / "lib/trackers/libcommtap-tracker-2.13.so";
};

/// A release of a minor.
TorchFiles torchOf(const std::string& minor) {
  return {.cpu_library = "/torch/lib/libtorch_cpu.so", .version = minor + ".1+cpu", .minor = minor, .is_release = true};
}

TEST_CASE_FIXTURE(InstallationFixture, "the tracker of the torch minor is found, and another one named as missing") {
  const Diagnosis good = checkTracker(library, torchOf("2.13"));
  CHECK(good.health == Health::kOk);
  CHECK(good.found == tracker + ", because torch is 2.13");
  put("lib/trackers/libcommtap-tracker-2.11.so");
  const Diagnosis missing = checkTracker(library, torchOf("2.12"));
  CHECK(missing.health == Health::kError);
  CHECK(missing.found == "no tracker for torch 2.12 is installed next to " + library + ", only: 2.11, 2.13");
  std::filesystem::remove_all(folder / "lib/trackers");
  CHECK(has(checkTracker(library, torchOf("2.13")).found, "only: none"));
}

TEST_CASE_FIXTURE(InstallationFixture, "the tracker of a build folder is found") {
  put("build/shim/libcommtap.so");
  put("build/tracker/libcommtap-tracker-2.13.so");
  put("build/tracker/python/libcommtap-python-3.12.so");
  const std::string built = folder / "build/tracker/libcommtap-tracker-2.13.so";
  CHECK(findTracker(folder / "build/shim/libcommtap.so", torchOf("2.13")) == built);
  CHECK(findPythonPart(built, "3.12") == folder / "build/tracker/python/libcommtap-python-3.12.so");
  CHECK(has(checkTracker(folder / "build/shim/libcommtap.so", torchOf("2.12")).found, ", only: 2.13"));
}

TEST_CASE_FIXTURE(
    InstallationFixture,
    "a tracker that the user built for this torch comes first, if it may be loaded") {
  REQUIRE(setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1) == 0);
  const mode_t before = umask(077);
  put("cache/commtap/trackers-" COMMTAP_VERSION "/libcommtap-tracker-2.13.1+cpu.so");
  umask(before);
  const std::string built = folder / "cache/commtap/trackers-" COMMTAP_VERSION "/libcommtap-tracker-2.13.1+cpu.so";
  CHECK(hasBuiltTracker(torchOf("2.13")));
  CHECK_FALSE(hasBuiltTracker(torchOf("2.12")));
  CHECK(findTracker(library, torchOf("2.13")) == built);
  CHECK(checkTracker(library, torchOf("2.13")).found == built + ", because torch is 2.13.1+cpu");
  REQUIRE(chmod(built.c_str(), 0622) == 0);
  CHECK(findTracker(library, torchOf("2.13")) == tracker);
  const Diagnosis refused = checkTracker(library, torchOf("2.13"));
  CHECK(refused.health == Health::kWarning);
  CHECK(has(refused.found, built + " is not loaded, because it or a folder above it is not yours alone"));
  CHECK(has(refused.todo, "commtap build-tracker"));
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE_FIXTURE(InstallationFixture, "the Python part is next to the trackers") {
  CHECK(checkPythonPart(tracker, "3.11").found == folder / "lib/trackers/python/libcommtap-python-3.11.so");
  const Diagnosis missing = checkPythonPart(tracker, "3.13t");
  CHECK(missing.health == Health::kWarning);
  CHECK(has(missing.found, "no part for Python 3.13t"));
}

TEST_CASE_FIXTURE(InstallationFixture, "a file that others can write to is an error with the stub's reason") {
  CHECK(checkPermissions(library, {tracker, ""}).health == Health::kOk);
  chmod(tracker.c_str(), 0666);
  const Diagnosis open = checkPermissions(library, {tracker});
  CHECK(open.health == Health::kError);
  CHECK(open.found == tracker + " would not be loaded, because another user may have put it there");
  CHECK(open.todo == "install commtap where only you or root can write");
}

} // namespace
} // namespace commtap
