// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/report_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "report/file_descriptor.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a report is written below folders that are made for it") {
  const TempFolder folder;
  const Result<std::string> path = writeReportFile(folder.path() + "/new", "attempt-1/rank0", sampleReport(0), 0);
  REQUIRE(path);
  CHECK(*path == folder.path() + "/new/attempt-1/rank0.json");
  CHECK(access(path->c_str(), R_OK) == 0);
}

TEST_CASE("whoever keeps a folder locked holds up the end of a job for two seconds at most") {
  const TempFolder folder;
  const FileDescriptor other(open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(flock(other.get(), LOCK_EX | LOCK_NB) == 0);
  const auto began = std::chrono::steady_clock::now();
  const Result<std::string> path = writeReportFile(folder.path(), "rank0", sampleReport(0), 0);
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - began;
  REQUIRE(path);
  CHECK(access(path->c_str(), R_OK) == 0);
  CHECK(waited.count() >= 2);
}

TEST_CASE("a folder that cannot be made is an error with the system's reason") {
  const TempFolder folder;
  const std::string file = folder.path() + "/file";
  REQUIRE(close(open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) == 0);
  const Result<std::string> path = writeReportFile(file + "/below", "rank0", sampleReport(0), 0);
  REQUIRE_FALSE(path);
  CHECK(path.error().find("Not a directory") != std::string::npos);
}

} // namespace
} // namespace commtap
