// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the script is found next to the command, in a build folder and in an installation") {
  const TempFolder folder;
  CHECK(has(findParquetScript(folder / "bin").error(), "install commtap again"));
  std::filesystem::create_directories(folder / "bin");
  std::filesystem::create_directories(folder / "share/commtap");
  writeText(folder / "share/commtap/parquet_files.py", "");
  CHECK(findParquetScript(folder / "bin")->ends_with("share/commtap/parquet_files.py"));
}

} // namespace
} // namespace commtap
