// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/build_plan.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "report/base/atomic_file.h"
#include "shim/built_tracker.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// An installation with a Python part, and a cache folder.
class CacheFixture {
 public:
  CacheFixture() {
    REQUIRE(setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1) == 0);
    REQUIRE(makeFolders(folder / "lib/trackers/python").empty());
    writeText(folder / "lib/trackers/python/libcommtap-python-3.11.so", "part");
    writeText(folder / "built.so", "tracker");
    before_ = umask(002); // as for users of one group
  }
  CacheFixture(const CacheFixture&) = delete;
  CacheFixture& operator=(const CacheFixture&) = delete;
  ~CacheFixture() {
    umask(before_);
    unsetenv("XDG_CACHE_HOME");
  }

  TempFolder folder;

 private:
  mode_t before_;
};

TEST_CASE_FIXTURE(CacheFixture, "a tracker is put where the stub looks, with the Python parts next to it") {
  const Result<TrackerCache> cache = makeTrackerCache("2.14.0a0");
  REQUIRE(cache);
  CHECK(cache->tracker == folder / "cache/commtap/trackers-" COMMTAP_VERSION "/libcommtap-tracker-2.14.0a0.so");
  CHECK(installTracker(*cache, folder / "built.so", folder / "lib/libcommtap.so").empty());
  CHECK(readText(cache->tracker) == "tracker");
  CHECK(readText(cache->folder() + "/python/libcommtap-python-3.11.so") == "part");
  CHECK(commtap_built_tracker_refusal(cache->tracker.c_str()) == nullptr);
  writeText(folder / "built.so", "another");
  CHECK(installTracker(*makeTrackerCache("2.14.0a0"), folder / "built.so", folder / "lib/libcommtap.so").empty());
  CHECK(readText(cache->tracker) == "another");
}

TEST_CASE_FIXTURE(CacheFixture, "a cache folder that others may write to is refused after the build") {
  const Result<TrackerCache> cache = makeTrackerCache("2.14.0a0");
  REQUIRE(cache);
  REQUIRE(chmod(cache->folder().c_str(), 0777) == 0);
  const std::string failure = installTracker(*cache, folder / "built.so", folder / "lib/libcommtap.so");
  CHECK(has(failure, cache->tracker + " would not be loaded: it or a folder above it is not yours alone"));
}

TEST_CASE_FIXTURE(CacheFixture, "a cache folder that cannot be made, and one that is not known, are failures") {
  writeText(folder / "cache", "a file");
  CHECK(has(makeTrackerCache("2.14.0a0").error(), folder / "cache"));
  CHECK(has(makeTrackerCache("2.14/0").error(), "there is no cache folder"));
}

} // namespace
} // namespace commtap
