// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/nccl_text.h"

#include <doctest/doctest.h>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

TEST_CASE("a run without NCCL says so") {
  const ReportFolder folder = sampleFolder();
  CHECK(ncclText(viewOf(folder, {}), Color::none()).find("NCCL was not called") == 0);
}

TEST_CASE("calls stand beside what was asked, those of others by module") {
  ReportFolder folder = sampleFolder();
  Report& report = folder.files[0].report;
  const Collective& row = report.collectives[0];
  report.nccl = Nccl{
      "2.29.7",
      {{2, 0, row.group}},
      {{"ncclAllReduce", 0, row.op, row.group, row.module, row.phase, "float32", false, NcclSource::kCall, 3, 0, 3072},
       {"ncclBcast", 0, row.op, row.group, row.module, row.phase, "float32", false, NcclSource::kCall, 1, 0, 8},
       {"ncclSend", 0, "", "", "Engine", Phase::kOther, "float32", true, NcclSource::kCall, 5, 2, 2048}}};
  const std::string text = ncclText(viewOf(folder, {}), Color::none());
  for (const char* part :
       {"NCCL 2.29.7: 1 communicators in 1 processes", "ncclAllReduce", "3.00 KiB", "Engine", "ncclSend", "2.00 KiB"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part << " in\n" << text);
  }
}

TEST_CASE("CUDA graphs of several processes are one row, the one that communicates most first") {
  ReportFolder folder = sampleFolder();
  const GraphNcclCall reduce{"ncclAllReduce", 0, 2, 4096};
  const CudaGraph small{100, {{"Model.head", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "0", 1, 8}}, {}};
  const CudaGraph large{7, {}, {reduce}};
  for (ReportFile& file : folder.files) {
    file.report.nccl = Nccl{"2.29.7", {{2, 0, ""}}, {}};
    file.report.cuda_graphs = {small, large};
  }
  const std::string text = ncclText(viewOf(folder, {}), Color::none());
  const size_t first = text.find("4.00 KiB");
  REQUIRE_MESSAGE(first != std::string::npos, text);
  CHECK_MESSAGE(text.find("Model.head") > first, text);
  CHECK_MESSAGE(text.find("Model.head", text.find("Model.head") + 1) == std::string::npos, text);
}

} // namespace
} // namespace commtap
