// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/row_facts.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a row of at most 64 bytes a call is a metric") {
  JobCollective row;
  row.amount.count.sum = 2;
  row.amount.bytes.sum = 128;
  CHECK(isMetric(row));
  row.amount.bytes.sum = 129;
  CHECK_FALSE(isMetric(row));
}

TEST_CASE("a name is below a module by whole components") {
  CHECK(isBelow("Net.a.w", "Net.a"));
  CHECK_FALSE(isBelow("Net.a", "Net.a"));
  CHECK_FALSE(isBelow("Net.ab.w", "Net.a"));
}

} // namespace
} // namespace commtap
