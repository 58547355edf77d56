// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/series_limit.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("SeriesLimit admits the first series of each owner and keeps them admitted") {
  SeriesLimit limit(2);
  CHECK(limit.admit("a", "1"));
  CHECK(limit.admit("a", "2"));
  CHECK_FALSE(limit.admit("a", "0"));
  CHECK(limit.admit("b", "0"));
  CHECK(limit.admit("a", "1"));
  CHECK_FALSE(limit.admit("a", "3"));
}

TEST_CASE("SeriesLimit forgets owners that no longer ask") {
  SeriesLimit limit(1);
  CHECK(limit.admit("a", "1"));
  limit.forgetUnused();
  CHECK_FALSE(limit.admit("a", "2"));
  limit.forgetUnused();
  limit.forgetUnused();
  CHECK(limit.admit("a", "2"));
}

} // namespace
} // namespace commtap
