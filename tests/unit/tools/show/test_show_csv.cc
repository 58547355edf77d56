// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_csv.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

std::string csvOf(const SampleRun& folder, std::optional<Phase> phase = std::nullopt) {
  std::string text = showCsvTitles();
  for (const SampleFile& file : folder.files) {
    text += showCsv(file.report, phase);
  }
  return text;
}

TEST_CASE("every row of every rank is a line with as many cells as the first") {
  SampleRun folder = sampleFolder();
  folder.files[1].report.job.rank = std::nullopt;
  folder.files[1].report.collectives[0].group = "?";
  folder.files[1].report.collectives[0].module = "a\nb";
  const std::string text = csvOf(folder);
  CHECK(std::count(text.begin(), text.end(), '\n') == 7);
  CHECK(std::count(text.begin(), text.end(), ',') == 7 * 29);
  CHECK(
      text.find("\nsample-run,0,0,node1,1000,DistributedDataParallel,backward,c10d.allreduce_,all_reduce,0,"
                "default_pg,4,gloo,float32,sum,true,DistributedDataParallel,c10d.allreduce_coalesced_,1,320,480,0,0,0,"
                "0,0,0,0,0,DistributedDataParallel\n") != std::string::npos);
  CHECK(text.find("\nsample-run,0,,node1,1002,a\\x0ab,") != std::string::npos);
}

TEST_CASE("a phase filter keeps only its rows") {
  const SampleRun folder = sampleFolder();
  const std::string text = csvOf(folder, Phase::kBackward);
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
}

} // namespace
} // namespace commtap
