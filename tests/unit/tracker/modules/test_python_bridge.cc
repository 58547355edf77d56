// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/python_bridge.h"

#include "tests/unit/torch_doctest.h"

namespace commtap {
namespace {

TEST_CASE("a Python part is for one minor version, and the free-threaded build is another") {
  CHECK(pythonBuildOf("3.11.2 (main, Mar 13 2023, 12:18:29) [GCC 12.2.0]") == "3.11");
  CHECK(pythonBuildOf("3.13.1 experimental free-threading build (main, Dec  4 2024) [GCC 12.2.0]") == "3.13t");
  CHECK(pythonBuildOf("3.14.0 free-threading build (main, Oct  7 2025) [GCC 14.2.0]") == "3.14t");
  CHECK(pythonBuildOf("a Python of another kind").empty());
}

} // namespace
} // namespace commtap
