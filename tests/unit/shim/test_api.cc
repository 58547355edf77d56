// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/commtap.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/shim/loaded_tables.h"

namespace commtap {
namespace {

TEST_CASE("without a tracker every function says so") {
  CHECK(commtap_start() == COMMTAP_ABSENT);
  CHECK(commtap_snapshot(nullptr, 0) == COMMTAP_ABSENT);
  CHECK(commtap_where(nullptr) == COMMTAP_ABSENT);
}

TEST_CASE("with a tracker each function passes its arguments and result on") {
  static std::string pushed;
  commtap_tracker tracker{};
  tracker.api.start = [] { return 3; };
  tracker.api.scope_push = [](const char* name) {
    pushed = name;
    return COMMTAP_INVALID + 0;
  };
  tracker.api.capture_begin = [](commtap_threads threads) { return 40L + threads; };
  const LoadedTables loaded({&tracker, nullptr, nullptr, nullptr, nullptr});
  CHECK(commtap_start() == 3);
  CHECK(commtap_scope_push("block") == COMMTAP_INVALID);
  CHECK(pushed == "block");
  CHECK(commtap_capture_begin(COMMTAP_THIS_THREAD) == 41);
}

} // namespace
} // namespace commtap
