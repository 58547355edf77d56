// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_view.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a second view of a ledger's memory shows the same bytes in every range") {
  const auto ledger = LedgerWriter::create(LedgerSize::kSmall);
  REQUIRE(ledger);
  LedgerView view(kSmallLedger);
  auto* base = reinterpret_cast<std::byte*>(&ledger->header());
  REQUIRE(view.mapAgain(base));
  for (const MappedRange& range : kSmallLedger.ranges()) {
    base[range.offset + range.size - 1] = std::byte{7};
    CHECK(view.at(range.offset + range.size - 1)[0] == std::byte{7});
  }
  CHECK(view.at(0)[0] == std::byte{'c'});
}

TEST_CASE("new memory is zeros, and a closed descriptor is an error") {
  LedgerView view(kSmallLedger);
  REQUIRE(view.mapMemory());
  CHECK(view.at(kLedgerLayout.offsets[kLast])[0] == std::byte{0});
  LedgerView file(kSmallLedger);
  CHECK_FALSE(file.mapFile(-1));
}

} // namespace
} // namespace commtap
