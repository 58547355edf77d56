// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/splits_text.h"

#include <doctest/doctest.h>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

/// The sample run, with splits in the row of each kind.
SampleRun splitFolder() {
  SampleRun folder = sampleFolder();
  for (SampleFile& file : folder.files) {
    for (Collective& row : file.report.collectives) {
      if (row.kind == Kind::kAllGather) {
        row.splits = {2, {3.2, 4}, {}, {}, 5, {{0, 10}, {2, 90}}};
      } else if (row.kind == Kind::kBroadcast) {
        row.splits = {1, {5, 5}, {}, {}, 0, {}};
      }
      row.splits.findExtremes();
    }
  }
  return folder;
}

TEST_CASE("a run without split sizes has no text") {
  CHECK(splitsText(viewOf(sampleFolder(), {}), Color::none()).empty());
}

TEST_CASE("the most uneven row is first; ranks that are not known are a question mark") {
  const std::string text = splitsText(viewOf(splitFolder(), {}), Color::none());
  const size_t gather = text.find("all_gather");
  const size_t broadcast = text.find("broadcast");
  REQUIRE_MESSAGE(gather != std::string::npos, text);
  REQUIRE_MESSAGE(broadcast != std::string::npos, text);
  CHECK(broadcast < gather);
  const std::string row = text.substr(gather, text.find('\n', gather) - gather);
  for (const char* part : {"default_pg", " 4 ", "3.20x", "4.00x", " 2 ", " 0 ", "10"}) {
    CHECK_MESSAGE(has(row, part), row);
  }
  CHECK(has(text.substr(broadcast, gather - broadcast), "?"));
}

TEST_CASE("the filter's phase and modules hold") {
  CHECK(has(splitsText(viewOf(splitFolder(), {.phase = Phase::kForward}), Color::none()), "all_gather"));
  CHECK_FALSE(has(splitsText(viewOf(splitFolder(), {.phase = Phase::kForward}), Color::none()), "broadcast"));
  CHECK_FALSE(has(splitsText(viewOf(splitFolder(), {.module = "Global"}), Color::none()), "all_gather"));
}

} // namespace
} // namespace commtap
