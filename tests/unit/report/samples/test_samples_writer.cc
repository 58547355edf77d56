// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/samples_writer.h"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "report/samples/samples_reader.h"
#include "tests/unit/child.h"
#include "tests/unit/report/samples/sample_values.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("each sample is in the file once it was appended") {
  const TempFolder folder;
  SamplesWriter writer;
  CHECK_FALSE(writer.isOpen());
  REQUIRE(writer.create(folder / "rank-00001", ".samples", sampleReport(1).job).empty());
  CHECK(writer.path() == folder / "rank-00001.samples");
  const std::vector<SampledParameter> parameters = {fullParameter(), plainParameter("b"), plainParameter("c")};
  REQUIRE(writer.append(parameters, sampleOf(1, 3)).empty());
  CHECK(readSamplesFile(writer.path())->samples.size() == 1);
  REQUIRE(writer.append({}, sampleOf(2, 3)).empty());
  REQUIRE(writer.append(std::vector{plainParameter("d")}, sampleOf(3, 4)).empty());

  const ProcessSamples read = *readSamplesFile(writer.path());
  CHECK(read.job.rank == 1);
  CHECK(read.job.host == sampleReport(1).job.host);
  CHECK(read.job.started_at_ns / 1000 == sampleReport(1).job.started_at_ns / 1000); // JSON holds no finer time
  REQUIRE(read.parameters.size() == 4);
  CHECK(areEqual(read.parameters[0], fullParameter()));
  CHECK(read.parameters[3].name == "d");
  REQUIRE(read.samples.size() == 3);
  CHECK(areEqual(read.samples[2], sampleOf(3, 4)));
  CHECK_FALSE(read.is_cut);
  CHECK(writer.size() == readText(writer.path()).size());
  struct stat facts {};
  REQUIRE(stat(writer.path().c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777U) == 0600U);
}

TEST_CASE("a process never writes to the file of another one") {
  const TempFolder folder;
  const Job job = sampleReport(0).job;
  SamplesWriter first;
  SamplesWriter second;
  SamplesWriter third;
  REQUIRE(first.create(folder / "rank-00000", ".samples", job).empty());
  REQUIRE(second.create(folder / "rank-00000", ".samples", job).empty());
  REQUIRE(third.create(folder / "rank-00000", ".samples", job).empty());
  const std::string with_pid = "rank-00000.pid-" + std::to_string(job.pid);
  CHECK(second.path() == folder / (with_pid + ".samples"));
  CHECK(third.path() == folder / (with_pid + ".2.samples"));
}

TEST_CASE("a file that cannot be created is an error with its path") {
  SamplesWriter writer;
  CHECK(has(writer.create("/proc/no/rank-00000", ".samples", sampleReport(0).job), "/proc/no/rank-00000.samples: "));
  CHECK_FALSE(writer.isOpen());
}

TEST_CASE("a file that has no room for its job is removed") {
  const TempFolder folder;
  checkInChild([&] {
    const rlimit limit{64, 64};
    setrlimit(RLIMIT_FSIZE, &limit);
    SamplesWriter writer;
    return has(writer.create(folder / "rank-00000", ".samples", sampleReport(0).job), "File too large");
  });
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("nothing is appended to a file that another program has cut") {
  const TempFolder folder;
  SamplesWriter writer;
  REQUIRE(writer.create(folder / "rank-00000", ".samples", sampleReport(0).job).empty());
  REQUIRE(truncate(writer.path().c_str(), 10) == 0);
  CHECK(has(writer.append({}, sampleOf(1, 0)), "another program has changed it"));
  CHECK_FALSE(writer.isOpen());
  CHECK(readText(folder / "rank-00000.samples").size() == 10);
}

TEST_CASE("a sample for a file that was deleted is lost, and named") {
  const TempFolder folder;
  SamplesWriter writer;
  REQUIRE(writer.create(folder / "rank-00000", ".samples", sampleReport(0).job).empty());
  REQUIRE(unlink(writer.path().c_str()) == 0);
  CHECK(has(writer.append({}, sampleOf(1, 0)), "another program has deleted it"));
  CHECK_FALSE(writer.isOpen());
}

TEST_CASE("a sample that would make the file too large is not written") {
  const TempFolder folder;
  SamplesWriter writer;
  REQUIRE(writer.create(folder / "rank-00000", ".samples", sampleReport(0).job).empty());
  const std::vector<SampledParameter> parameters = {fullParameter()};
  REQUIRE(writer.append(parameters, sampleOf(1, 1), 100'000).empty());
  CHECK(has(writer.append({}, sampleOf(2, 1), writer.size() + 10), "rank-00000.samples is full"));
  CHECK_FALSE(writer.isOpen());
  const ProcessSamples read = *readSamplesFile(writer.path());
  CHECK(read.samples.size() == 1);
  CHECK_FALSE(read.is_cut);
}

TEST_CASE("a file beyond the size limit of the process is not written, and raises no SIGXFSZ") {
  const TempFolder folder;
  checkInChild([&] {
    SamplesWriter writer;
    const rlimit limit{64 << 10, 64 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string error = writer.create(folder / "rank-00000", ".samples", sampleReport(0).job);
    for (uint64_t step = 1; error.empty() && step < 10'000; ++step) {
      error = writer.append({}, sampleOf(step, 0));
    }
    return has(error, "rank-00000.samples: File too large") && !writer.isOpen();
  });
  const ProcessSamples read = *readSamplesFile(folder / "rank-00000.samples");
  CHECK_FALSE(read.samples.empty());
  CHECK_FALSE(read.is_cut);
}

TEST_CASE("a closed writer can begin another file") {
  const TempFolder folder;
  SamplesWriter writer;
  REQUIRE(writer.create(folder / "rank-00000", ".samples", sampleReport(0).job).empty());
  writer.close();
  REQUIRE(writer.create(folder / "rank-00001", ".samples", sampleReport(1).job).empty());
  REQUIRE(writer.append({}, sampleOf(1, 0)).empty());
  CHECK(readSamplesFile(folder / "rank-00001.samples")->samples.size() == 1);
  CHECK(readSamplesFile(folder / "rank-00000.samples")->samples.empty());
}

} // namespace
} // namespace commtap
