// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/docs/tables_page.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("docs/tables.md is made from the tables") {
  CHECK(readText(COMMTAP_SOURCE_ROOT "/docs/tables.md") == tablesPage());
}

} // namespace
} // namespace commtap
