// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/cuda_graphs.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace commtap {
namespace {

TEST_CASE("cuda_graphs: what is written is read back") {
  const CudaGraph graph{
      3,
      {{"MLP", Phase::kForward, "c10d.allreduce_", Kind::kAllReduce, "0", 2, 64}},
      {{"ncclAllReduce", std::nullopt, 2, 64}}};
  std::string text = "{\"schema\": \"\"";
  appendCudaGraphs(text, {graph});
  const nlohmann::json document = nlohmann::json::parse(text + "}");
  REQUIRE(document["cuda_graphs"].size() == 1);
  CHECK(cudaGraphFrom(JsonCursor(document["cuda_graphs"][0], "cuda_graphs[0]")) == graph);
}

TEST_CASE("cuda_graphs: a job without CUDA graphs has no section") {
  std::string text;
  appendCudaGraphs(text, {});
  CHECK(text.empty());
}

} // namespace
} // namespace commtap
