// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/fuzz/targets.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Runs all kept inputs. Returns their number.
size_t runAll(const std::string& name, void (*target)(std::span<const uint8_t>)) {
  const std::string folder = std::string(COMMTAP_SOURCE_ROOT "/tests/fuzz/corpus/") + name;
  const std::vector<std::string> inputs = namesIn(folder);
  for (const std::string& input : inputs) {
    const std::string bytes = readText(folder + "/" + input);
    CAPTURE(input);
    target({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  }
  return inputs.size();
}

TEST_CASE("the readers survive the fuzzers' kept inputs") {
  CHECK(runAll("ledger", fuzzLedger) > 0);
  CHECK(runAll("json", fuzzJson) > 0);
}

} // namespace
} // namespace commtap
