// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/not_seen.h"

#include <doctest/doctest.h>

#include <set>

namespace commtap {
namespace {

TEST_CASE("every reason has a name of its own and a meaning") {
  std::set<std::string_view> names;
  for (int i = 0; i < kNotSeenCount; ++i) {
    const auto reason = static_cast<NotSeen>(i);
    CHECK(names.insert(notSeenName(reason)).second);
    CHECK(notSeenMeaning(reason).size() > 20);
  }
}

TEST_CASE("the numbers of the ledger format keep their meaning") {
  CHECK(notSeenName(NotSeen::kCollectiveRowsFull) == "collective_rows_full");
  CHECK(notSeenName(NotSeen::kInternalError) == "internal_error");
  CHECK(notSeenName(static_cast<NotSeen>(200)) == "internal_error");
}

} // namespace
} // namespace commtap
