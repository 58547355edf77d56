// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/job_text.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"
#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

TEST_CASE("a run without NCCL has no text") {
  CHECK(ncclText(viewOf(sampleFolder(), {}).job, Color::none()).empty());
}

TEST_CASE("NCCL calls are next to their collectives; other calls are listed by module") {
  SampleRun folder = sampleFolder();
  Report& report = folder.files[0].report;
  const Collective& row = report.collectives[0];
  report.nccl = Nccl{
      "2.29.7",
      {{2, 0, row.group}},
      {{"ncclAllReduce", 0, row.op, row.group, row.module, row.phase, "float32", false, NcclSource::kCall, 3, 0, 3072},
       {"ncclBcast", 0, row.op, row.group, row.module, row.phase, "float32", false, NcclSource::kCall, 1, 0, 8},
       {"ncclSend", 0, "", "", "Engine", Phase::kOther, "float32", true, NcclSource::kCall, 5, 2, 2048}}};
  const std::string text = ncclText(viewOf(folder, {}).job, Color::none());
  for (const char* part :
       {"NCCL 2.29.7: 1 communicator in 1 process", "ncclAllReduce", "3.00 KiB", "Engine", "ncclSend", "2.00 KiB"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part << " in\n" << text);
  }
  const std::string forward = ncclText(viewOf(folder, {}).job, Color::none(), Phase::kForward);
  CHECK(forward.find("ncclSend") == std::string::npos);
}

TEST_CASE("ranks with another NCCL version are named") {
  CHECK(ncclText(sampleJob(), Color::none()).empty());
  JobReport job = ncclJob();
  job.nccl->versions = {{"", {{3, 3}}}, {"2.29.7\x1b", {{0, 2}}}};
  const std::string text = ncclText(job, Color::none());
  CHECK(
      text.starts_with("NCCL of unknown version (rank 3), 2.29.7\\x1b (ranks 0-2): 8 communicators in 4 processes\n"));
}

} // namespace
} // namespace commtap
