// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/number_text.h"

#include <doctest/doctest.h>

#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

namespace commtap {
namespace {

TEST_CASE("humanBytes has three significant digits") {
  CHECK(humanBytes(0) == "0 B");
  CHECK(humanBytes(1023) == "1023 B");
  CHECK(humanBytes(1024) == "1.00 KiB");
  CHECK(humanBytes(10.0 * 1024) == "10.0 KiB");
  CHECK(humanBytes(1023.0 * 1024) == "1023 KiB");
  CHECK(humanBytes(1.5 * 1024 * 1024 * 1024) == "1.50 GiB");
  CHECK(humanBytes(1e30).ends_with(" EiB"));
  CHECK(humanBytes(0.5) == "0.50 B");
}

TEST_CASE("durations have a unit that fits their size") {
  CHECK(humanDuration(0) == "0 ns");
  CHECK(humanDuration(850) == "850 ns");
  CHECK(humanDuration(1200) == "1.20 us");
  CHECK(humanDuration(12.5e6) == "12.5 ms");
  CHECK(humanDuration(59e9) == "59.0 s");
  CHECK(humanDuration(90e9) == "1.50 min");
  CHECK(humanDuration(3600e9 * 250) == "250 h");
}

TEST_CASE("numbers have the text of the table, which the page is held to as well") {
  const nlohmann::json texts =
      nlohmann::json::parse(std::ifstream(COMMTAP_SOURCE_ROOT "/tests/unit/report/job/number_texts.json"));
  using Write = std::string (*)(double);
  for (const auto& [name, write] :
       {std::pair<const char*, Write>("bytes", humanBytes),
        std::pair<const char*, Write>("ns", humanDuration),
        std::pair<const char*, Write>("count", countText),
        std::pair<const char*, Write>("percent", percentText)}) {
    for (const nlohmann::json& example : texts.at(name)) {
      CHECK(write(example[0].get<double>()) == example[1].get<std::string>());
    }
  }
  for (const nlohmann::json& example : texts.at("change")) {
    CHECK(percentText(example[0].get<double>(), example[1].get<double>()) == example[2].get<std::string>());
  }
}

} // namespace
} // namespace commtap
