// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/stored_samples.h"

#include <doctest/doctest.h>

#include "report/samples/samples_writer.h"
#include "tests/unit/samples.h"
#include "tools/prune/removal.h"

namespace commtap {
namespace {

TEST_CASE("samples belong to the run that they name, and are removed with it") {
  const TempFolder folder;
  Job job = sampleReport(0).job;
  job.run_id = "old";
  SamplesWriter writer;
  REQUIRE(writer.create(folder / "rank-00000", ".samples", job).empty());
  REQUIRE(writer.append({}, Sample()).empty());
  writeText(folder / "notes.samples", "mine");
  std::vector<std::string> problems;
  std::vector<StoredFile> files = storedSamples(folder.path(), problems, ", and stays");
  REQUIRE(files.size() == 1);
  CHECK(files[0].run_id == "old");
  CHECK(files[0].path == writer.path());
  CHECK(files[0].changed_at_ns > 0);
  REQUIRE(problems.size() == 1);
  CHECK(has(problems[0], "notes.samples: this is not a file of samples, and stays"));

  const StoredRun run = storedRuns(std::move(files)).at(0);
  StoredRun other = run;
  other.run_id = "new";
  CHECK(removeRun(other, folder.path(), false).files == 0);
  CHECK(removeRun(run, folder.path(), false).files == 1);
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"notes.samples"});
}

TEST_CASE("samples that are damaged after the first one stay, with the reason") {
  const TempFolder folder;
  SamplesWriter writer;
  REQUIRE(writer.create(folder / "rank-00000", ".samples", sampleReport(0).job).empty());
  REQUIRE(writer.append({}, Sample()).empty());
  REQUIRE(writer.append({}, Sample()).empty());
  std::string bytes = readText(writer.path());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  writeText(writer.path(), bytes);
  std::vector<std::string> problems;
  const StoredRun run = storedRuns(storedSamples(folder.path(), problems, "")).at(0);
  CHECK(problems.empty());
  const Removal removal = removeRun(run, folder.path(), false);
  CHECK(removal.files == 0);
  REQUIRE(removal.problems.size() == 1);
  CHECK(has(removal.problems[0], "rank-00000.samples stays: it: block 2 of the samples is damaged"));
  CHECK(namesIn(folder.path()).size() == 1);
}

} // namespace
} // namespace commtap
