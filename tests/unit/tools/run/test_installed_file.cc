// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/installed_file.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the first file that is there is taken, and the error names all places") {
  const TempFolder folder;
  const std::vector<std::string> places = {"a/x.py", "../share/x.py"};
  const std::string bin = folder / "bin";
  CHECK(
      findInstalled(bin, places).error() ==
      "x.py was not found at any of " + bin + "/a/x.py, " + (folder / "share/x.py") + ": install commtap again");
  std::filesystem::create_directories(folder / "share/x.py"); // a folder is no file
  CHECK_FALSE(findInstalled(bin, places));
  std::filesystem::create_directories(folder / "bin/a");
  writeText(folder / "bin/a/x.py", "");
  CHECK(*findInstalled(bin, places) == bin + "/a/x.py");
}

} // namespace
} // namespace commtap
