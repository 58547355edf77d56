// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/last_text.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the newest collectives per rank are listed, with the peer of a send") {
  Report first = sampleReport(0);
  Report second = sampleReport(1);
  second.last.back().kind = Kind::kSend;
  second.last.back().peer = 3;
  second.last.back().state = LastState::kReturned;
  second.last.back().module = "\x1b[2J";
  const auto text_of = [&](size_t most) {
    std::vector<LastRow> rows = lastRows(first, most);
    const std::vector<LastRow> more = lastRows(second, most);
    rows.insert(rows.end(), more.begin(), more.end());
    return lastText(rows, Color::none());
  };
  const std::string text = text_of(1);
  CHECK(text.find("all_gather") != std::string::npos);
  CHECK(text.find("send to 3") != std::string::npos);
  CHECK(text.find("returned") != std::string::npos);
  CHECK(text.find("broadcast") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text_of(10).find("broadcast") != std::string::npos);
}

} // namespace
} // namespace commtap
