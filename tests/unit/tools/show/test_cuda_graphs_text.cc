// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/cuda_graphs_text.h"

#include <doctest/doctest.h>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

TEST_CASE("a run without CUDA graphs has no text") {
  const SampleRun folder = sampleFolder();
  CHECK(cudaGraphsText(viewOf(folder, {.nccl = true}).graphs, Color::none()).empty());
}

TEST_CASE("CUDA graphs of several processes are one row, largest traffic first") {
  SampleRun folder = sampleFolder();
  const GraphNcclCall reduce{"ncclAllReduce", 0, 2, 4096};
  const CudaGraph small{100, {{"Model.head", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "0", 1, 8}}, {}};
  const CudaGraph large{7, {}, {reduce}};
  for (SampleFile& file : folder.files) {
    file.report.cuda_graphs = {small, large};
  }
  const std::string text = cudaGraphsText(viewOf(folder, {.nccl = true}).graphs, Color::none());
  const size_t first = text.find("4.00 KiB");
  REQUIRE_MESSAGE(first != std::string::npos, text);
  CHECK_MESSAGE(text.find("Model.head") > first, text);
  CHECK_MESSAGE(text.find("Model.head", text.find("Model.head") + 1) == std::string::npos, text);
}

} // namespace
} // namespace commtap
