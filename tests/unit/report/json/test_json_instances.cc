// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
// Checks that no source compiles nlohmann's parser and writer again: each precompiled header with nlohmann's declares
// them.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a precompiled header with JSON declares its parser and writer as compiled elsewhere") {
  const std::filesystem::path root = COMMTAP_SOURCE_ROOT;
  int with_json = 0;
  for (const char* part : {"report", "tools", "tracker"}) {
    for (const auto& header : std::filesystem::directory_iterator(root / part / "pch")) {
      std::ostringstream text;
      text << std::ifstream(header.path()).rdbuf();
      const bool has_json = text.str().find("#include <nlohmann/") != std::string::npos;
      const bool declares = text.str().find("#include \"report/json/json_instances.h\"") != std::string::npos;
      CHECK_MESSAGE(has_json == declares, header.path().string());
      with_json += has_json ? 1 : 0;
    }
  }
  CHECK(with_json == 2);
}

} // namespace
} // namespace commtap
