// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/hosts_budget.h"

#include <doctest/doctest.h>

#include "tests/unit/raw_server.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::string read(HostsBudget& budget, const RawServer& server, std::string& text) {
  return budget.read({server.address(), "/", ""}, {}, [&text](std::string_view piece) {
    text += piece;
    return std::string();
  });
}

TEST_CASE("hosts share the bytes and the time") {
  const RawServer server("HTTP/1.1 200 OK\r\n\r\n" + std::string(600'000, 'x'));
  HostsBudget budget(std::chrono::seconds(60), 1U << 20U);
  std::string text;
  CHECK(read(budget, server, text).empty());
  CHECK(text.size() == 600'000);
  CHECK(read(budget, server, text) == "all hosts together answer with more than 1 MiB");
  HostsBudget late(std::chrono::seconds(0), 1U << 20U);
  CHECK(read(late, server, text) == "not asked, for all hosts together took 0 s");
}

} // namespace
} // namespace commtap
