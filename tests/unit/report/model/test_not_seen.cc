// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/not_seen.h"

#include <doctest/doctest.h>

#include <set>

namespace commtap {
namespace {

TEST_CASE("every NotSeen reason has a unique name and a meaning") {
  std::set<std::string_view> names;
  for (int i = 0; i < kNotSeenCount; ++i) {
    const auto reason = static_cast<NotSeen>(i);
    CHECK(names.insert(notSeenName(reason)).second);
    CHECK(notSeenMeaning(reason).size() > 20);
  }
}

TEST_CASE("NotSeen reasons keep their numbers in the ledger format") {
  CHECK(notSeenName(NotSeen::kCollectiveRowsFull) == "collective_rows_full");
  CHECK(notSeenName(NotSeen::kInternalError) == "internal_error");
  CHECK(notSeenName(static_cast<NotSeen>(200)) == "internal_error");
}

} // namespace
} // namespace commtap
