// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/last_text.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the newest of each rank, with the peer of a send") {
  Report first = sampleReport(0);
  Report second = sampleReport(1);
  second.last.back().kind = Kind::kSend;
  second.last.back().peer = 3;
  second.last.back().state = LastState::kReturned;
  second.last.back().module = "\x1b[2J";
  const std::vector<const Report*> reports = {&first, &second};
  const std::string text = lastText(reports, 1, Color::none());
  CHECK(text.find("all_gather") != std::string::npos);
  CHECK(text.find("send to 3") != std::string::npos);
  CHECK(text.find("returned") != std::string::npos);
  CHECK(text.find("broadcast") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(lastText(reports, 10, Color::none()).find("broadcast") != std::string::npos);
}

} // namespace
} // namespace commtap
