// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_writer.h"
#include "report/ledger_reader/ledger_reader.h"

namespace commtap {
namespace {

/// A ledger with the module Net, and a row of Global whose one call carries 24 bytes.
struct MemberLedger {
  MemberLedger() {
    CollectiveKey key{};
    key.op = ledger->intern("_c10d_functional.all_reduce");
    key.group = kNoIndex;
    row = ledger->row(key);
    REQUIRE(row != nullptr);
    ledger->count(*row, {1, 24});
  }

  std::vector<Member> read() const {
    const Result<LedgerContents> contents = readLedger(ledger->bytes());
    REQUIRE(contents);
    CHECK(contents->damage.empty());
    return contents->report.members;
  }

  std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create();
  uint32_t net = ledger->addModule(kGlobalModule, "Net", "Net", 0);
  LedgerCollective* row = nullptr;
};

TEST_CASE("modules that share a clean name are one member") {
  MemberLedger made;
  const uint32_t wrapped = made.ledger->addModule(made.net, "_orig_mod", "Net", kModuleWrapperComponent);
  made.ledger->countMember(*made.row, made.net, {1, 8});
  made.ledger->countMember(*made.row, wrapped, {2, 16});
  CHECK(made.read() == std::vector<Member>{{0, "Net", 24, 3}});
}

TEST_CASE("members whose bytes are not those of the row's calls are left out") {
  MemberLedger made;
  made.ledger->countMember(*made.row, made.net, {1, 16});
  CHECK(made.read().empty());
  made.ledger->countMember(*made.row, kGlobalModule, {1, 8});
  CHECK(made.read().size() == 2);
}

TEST_CASE("a member without calls, or of a row that was not read, is none, and no damage") {
  MemberLedger made;
  made.ledger->countMember(*made.row, made.net, {1, 24});
  made.ledger->countMember(*made.row, kGlobalModule, {0, 0});
  CHECK(made.read() == std::vector<Member>{{0, "Net", 24, 1}});
  LedgerMember& member = made.ledger->records<kMembers>()[0];
  member.key.row = 99;
  member.check = checkOf(member, 0);
  CHECK(made.read().empty());
}

} // namespace
} // namespace commtap
