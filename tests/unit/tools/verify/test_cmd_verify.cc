// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <filesystem>

#include "report/json/report_json.h"
#include "tests/unit/programs.h"
#include "tests/unit/samples.h"
#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

/// Writes the samples of two ranks, of which rank 1 has another gradient with `rank_seed`, or is overwritten.
void writeSamples(const TempFolder& folder, uint32_t rank_seed, bool overwrites) {
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.gradient("Net.w", 2, rank_seed);
  job.step(1);
  if (overwrites) {
    job.at(1, "Net.w").value = noise(3);
  }
  job.step(2);
  job.write(folder.path());
}

TEST_CASE("verify exits with 0 for replicas in step, 1 for an error, and for a warning only if strict") {
  const TempFolder well;
  writeSamples(well, 0, false);
  const Outcome found = runCommtap({"verify", well.path(), "--strict"});
  CHECK(found.status() == 0);
  CHECK(found.out.starts_with("OK: 1 parameter has replicas on ranks 0-1"));
  const TempFolder wrong;
  writeSamples(wrong, 0, true);
  CHECK(runCommtap({"verify", wrong.path()}).status() == 1);
  CHECK(runCommtap({"verify", wrong.path(), "--json"}).out.starts_with("{\"schema\":\"commtap.verify/1\""));
  CHECK(runCommtap({"verify", wrong.path(), "--format", "junit"}).out.find("same_gradient") != std::string::npos);
  const TempFolder suspect;
  writeSamples(suspect, 5, false);
  CHECK(runCommtap({"verify", suspect.path()}).status() == 0);
  CHECK(runCommtap({"verify", suspect.path(), "--strict"}).status() == 1);
}

TEST_CASE("verify exits with 2 if samples cannot be read, unless the others show an error") {
  const TempFolder folder;
  writeSamples(folder, 0, false);
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    if (file.path().filename().string().find(".1.samples") != std::string::npos) {
      std::filesystem::resize_file(file, 10);
    }
  }
  const Outcome found = runCommtap({"verify", folder.path()});
  CHECK(found.status() == 2);
  CHECK(found.out.find("NOT SAMPLED: rank 1 has no samples that could be read") != std::string::npos);
}

TEST_CASE("verify says which run it reads if there are others") {
  const TempFolder folder;
  writeSamples(folder, 0, false);
  CHECK(runCommtap({"verify", folder.path()}).err.find("left out") == std::string::npos);
  Report report = sampleReport(0);
  for (const char* run : {"made-up", "other"}) {
    report.job.run_id = run;
    writeText(folder / run + ".json", reportToJson(report));
  }
  CHECK(has(runCommtap({"verify", folder.path()}).err, "commtap: run made-up is read, "));
}

TEST_CASE("verify exits with 2 without samples, and without the folder") {
  const TempFolder folder;
  CHECK(runCommtap({"verify", folder.path()}).status() == 2);
  CHECK(runCommtap({"verify", folder / "nowhere"}).status() == 2);
}

TEST_CASE("verify compares with another run") {
  const TempFolder one;
  const TempFolder two;
  const TempFolder other;
  writeSamples(one, 0, false);
  writeSamples(two, 0, false);
  writeSamples(other, 0, true);
  const Outcome same = runCommtap({"verify", two.path(), "--like", one.path(), "--strict"});
  CHECK(same.status() == 0);
  CHECK(same.out.starts_with("OK: 1 parameter and its gradients are those of"));
  CHECK(same.out.find("bitwise equal on each rank") != std::string::npos);
  const TempFolder again;
  writeSamples(again, 0, false);
  CHECK(runCommtap({"verify", two.path(), "--like", one.path(), "--like", again.path()}).status() == 0);
  CHECK(runCommtap({"verify", two.path(), "--like", one.path(), "--like", one.path()}).status() == 2);
  CHECK(runCommtap({"verify", two.path(), "--like", one.path(), "--like-run", "none"}).status() == 2);
  const Outcome apart = runCommtap({"verify", other.path(), "--like", one.path()});
  CHECK(apart.out.find("NOT WHOLLY COMPARED: Net.w: its replicas differ between ranks") != std::string::npos);
  CHECK(runCommtap({"verify", two.path(), "--like", one.path(), "--json"})
            .out.starts_with("{\"schema\":\"commtap.verify-like/1\",\"status\":\"ok\""));
  CHECK(runCommtap({"verify", two.path(), "--like", one / "nowhere"}).status() == 2);
  CHECK(runCommtap({"verify", two.path(), "--like", one.path(), "--rename", "Net"}).status() == 2);
  CHECK(runCommtap({"verify", two.path(), "--same-data"}).status() == 2);
  const TempFolder empty;
  CHECK(runCommtap({"verify", two.path(), "--like", empty.path()}).status() == 2);
}

} // namespace
} // namespace commtap
