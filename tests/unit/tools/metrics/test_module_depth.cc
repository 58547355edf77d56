// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/module_depth.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("modules below the depth map to their ancestor at the depth") {
  const Report report = sampleReport(0);
  const std::string net1 = report.modules.at(3).name;
  CHECK(ModuleDepth(report, std::nullopt).cut(net1) == net1);
  CHECK(ModuleDepth(report, 2).cut(net1) == net1);
  CHECK(ModuleDepth(report, 1).cut(net1) == "DistributedDataParallel");
  CHECK(ModuleDepth(report, 0).cut(net1) == "Global");
  CHECK(ModuleDepth(report, 1).cut("unknown") == "unknown");
}

} // namespace
} // namespace commtap
