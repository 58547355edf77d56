// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_graphviz.h"

#include <doctest/doctest.h>

#include "report/merge/job_merge.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::string dotOf(const Report& report, std::optional<uint32_t> depth = std::nullopt) {
  return graphvizDot(mergedJob({&report}), depth);
}

TEST_CASE("the graph has one box per communicating module, and an arrow from its parent") {
  const std::string dot = dotOf(sampleReport(0));
  CHECK(dot.starts_with("digraph commtap {\n"));
  CHECK(dot.find("  m2 [label=\"net1 : Linear\\nall_gather 2, 2.00 KiB (own 2, 2.00 KiB)\"") != std::string::npos);
  CHECK(dot.find("  m1 -> m2;\n") != std::string::npos);
  CHECK(dot.find("net2") == std::string::npos);
  CHECK(dot.find("Left out: 1 modules without collectives") != std::string::npos);
}

TEST_CASE("the graph counts the modules below the depth") {
  const std::string dot = dotOf(sampleReport(0), 1);
  CHECK(dot.find("net1") == std::string::npos);
  CHECK(dot.find("2 modules below the depth") != std::string::npos);
}

TEST_CASE("a hostile module name cannot end its DOT string") {
  Report report = sampleReport(0);
  report.collectives[0].module = "x\"]; evil [\n\\";
  const std::string dot = dotOf(report);
  CHECK(dot.find(R"(label="x\"]; evil [\\x0a\\)") != std::string::npos);
}

} // namespace
} // namespace commtap
