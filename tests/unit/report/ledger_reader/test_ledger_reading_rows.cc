// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <map>
#include <string_view>

#include "report/json/row_columns.h"
#include "report/json/row_key.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

struct KeyParts {
  uint32_t module;
  uint32_t group;
  StringId text;
};
using Change = void (*)(CollectiveKey&, const KeyParts&);

/// How the ledger spells another value of each column of the key.
const std::map<std::string_view, Change> kChanges = {
    {field::kModule, [](CollectiveKey& key, const KeyParts& other) { key.module = other.module; }},
    {field::kIssuedIn, [](CollectiveKey& key, const KeyParts& other) { key.issued_in = other.module; }},
    {field::kPhase, [](CollectiveKey& key, const KeyParts&) { key.phase = Phase::kBackward; }},
    {field::kOp, [](CollectiveKey& key, const KeyParts& other) { key.op = other.text; }},
    {field::kKind, [](CollectiveKey& key, const KeyParts&) { key.kind = Kind::kReduce; }},
    {field::kGroup, [](CollectiveKey& key, const KeyParts& other) { key.group = other.group; }},
    {field::kDtype, [](CollectiveKey& key, const KeyParts& other) { key.dtype = other.text; }},
    {field::kReduceOp, [](CollectiveKey& key, const KeyParts& other) { key.reduce_op = other.text; }},
    {field::kAsync, [](CollectiveKey& key, const KeyParts&) { key.async_op = AsyncOp::kYes; }},
    {field::kLabel, [](CollectiveKey& key, const KeyParts& other) { key.label = other.text; }},
    {field::kCompiled, [](CollectiveKey& key, const KeyParts&) { key.compiled = 1; }},
    {field::kSetup, [](CollectiveKey& key, const KeyParts&) { key.setup = 1; }},
};

/// Writes rows of two keys to a ledger and returns the number of rows that the reader makes of them.
size_t rowsOf(Change change) {
  const auto ledger = LedgerWriter::create();
  ledger->addGroup("0", "", "gloo", 2, 0, {});
  const KeyParts other{
      ledger->addModule(kGlobalModule, "Net", "Net", 0),
      ledger->addGroup("1", "", "gloo", 2, 0, {}),
      ledger->intern("other")};
  ledger->openStep().forward_passes = 1; // else nothing is set-up
  CollectiveKey key{};
  key.op = ledger->intern("sum");
  ledger->count(*ledger->row(key), {1, 8});
  change(key, other);
  ledger->count(*ledger->row(key), {1, 8});
  return readLedger(ledger->bytes())->report.collectives.size();
}

TEST_CASE("the ledger keeps rows apart that differ in any column of the key") {
  CHECK(rowsOf([](CollectiveKey&, const KeyParts&) {}) == 1);
  CHECK(rowsOf([](CollectiveKey& key, const KeyParts&) { key.size_class = 7; }) == 1);
  const std::vector<std::string_view> names = keyNames<Collective>();
  CHECK(kChanges.size() == names.size());
  for (const std::string_view name : names) {
    CAPTURE(name);
    REQUIRE(kChanges.count(name) == 1);
    CHECK(rowsOf(kChanges.at(name)) == 2);
  }
}

} // namespace
} // namespace commtap
