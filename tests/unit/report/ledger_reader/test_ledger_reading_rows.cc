// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "report/json/columns.h"
#include "report/json/row_columns.h"
#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_writer.h"
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

/// A ledger with the module Net, and a row of Global or Net whose one call carries 24 bytes.
struct MemberLedger {
  explicit MemberLedger(bool is_of_net = false) {
    CollectiveKey key{};
    key.module = is_of_net ? net : kGlobalModule;
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

TEST_CASE("members of calls with several tensors have no calls of their own, and the rest belongs to none") {
  MemberLedger made;
  made.ledger->countMember(*made.row, made.net, {0, 16});
  made.ledger->countMember(*made.row, kGlobalModule, {0, 8});
  CHECK(made.read() == std::vector<Member>{{0, "", 8, std::nullopt}, {0, "Net", 16, std::nullopt}});
}

TEST_CASE("a row whose only member is its own module has none, unless a compiler merged it") {
  MemberLedger made(true);
  made.ledger->countMember(*made.row, made.net, {0, 24});
  CHECK(made.read().empty());
  made.ledger->countMember(*made.row, made.net, {1, 0});
  CHECK(made.read() == std::vector<Member>{{0, "Net", 24, 1}});
}

TEST_CASE("a row of one other module has that one, with the changes of its buffers") {
  MemberLedger made;
  const uint32_t inner = made.ledger->addModule(made.net, "inner", "Inner", 0);
  made.ledger->countMember(*made.row, inner, {0, 8}, 1);
  made.ledger->countMember(*made.row, inner, {0, 16}, 2);
  CHECK(made.read() == std::vector<Member>{{0, "Net.inner", 24, {}, 3}});
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

/// A ledger with two records of one row of the report, because their sizes differ, for which "net" stood still.
struct StallLedger {
  StallLedger() {
    key.op = ledger->intern("c10d.allreduce_");
    key.group = kNoIndex;
    net = ledger->addModule(kGlobalModule, "net", "Net", 0);
    expose(1, net, 70);
    expose(2, net, 30);
    expose(2, kGlobalModule, 5);
  }

  void expose(uint8_t size_class, uint32_t module, uint64_t ns) {
    const LedgerCollective& row = rowOf(size_class);
    ledger->countDuration(row, *ledger->timesOf(rowOf(size_class)), DurationKind::kExposed, ns);
    ledger->countStall(row, module, Phase::kBackward, ns);
  }
  LedgerCollective& rowOf(uint8_t size_class) {
    key.size_class = size_class & kSizeClassBits;
    LedgerCollective* row = ledger->row(key);
    REQUIRE(row != nullptr);
    ledger->count(*row, {1, 8});
    return *row;
  }

  /// Returns where the row stood still, which always adds up to its exposed time.
  Stalls stalls() const {
    Result<LedgerContents> contents = readLedger(ledger->bytes());
    REQUIRE(contents);
    REQUIRE(contents->report.collectives.size() == 1);
    const CollectiveTime& time = contents->report.collectives[0].time;
    Stall sum;
    for (const auto& [place, stall] : time.stalled_in) {
      sum = {sum.count + stall.count, sum.exposed_ns + stall.exposed_ns};
    }
    CHECK(sum == Stall{time.of(DurationKind::kExposed).count, time.of(DurationKind::kExposed).sum_ns});
    return time.stalled_in;
  }
  LedgerStall& record(uint64_t number) const {
    return ledger->records<kStalls>()[number];
  }

  std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create(LedgerSize::kSmall);
  CollectiveKey key{};
  uint32_t net = 0;
};

TEST_CASE("the modules that stood still for a row are added up by module and phase") {
  CHECK(
      StallLedger().stalls() == Stalls{{{"net", Phase::kBackward}, {2, 100}}, {{"Global", Phase::kBackward}, {1, 5}}});
}

TEST_CASE("exposed time without a module is of an unknown one") {
  StallLedger made;
  made.ledger->countDuration(made.rowOf(1), *made.ledger->timesOf(made.rowOf(1)), DurationKind::kExposed, 7);
  CHECK(made.stalls().at({"", Phase::kOther}) == Stall{1, 7});
}

TEST_CASE("when the table is full, exposed time is of an unknown module and in not_seen") {
  StallLedger made;
  const auto modules = static_cast<uint32_t>(kSmallLedger.capacities[kStalls]);
  for (uint32_t module = 0; module < modules; ++module) {
    made.expose(1, made.ledger->addModule(kGlobalModule, std::to_string(module), "Net", 0), 10);
  }
  CHECK(made.stalls().at({"", Phase::kOther}) == Stall{3, 30});
  CHECK(made.ledger->header().not_seen[static_cast<size_t>(NotSeen::kStallsFull)].count.load() == 3);
}

TEST_CASE("stalls beyond the exposed time are cut; a damaged record, or one of an unknown row, is left out") {
  StallLedger made;
  made.record(0).exposed_ns = 1000;
  CHECK(made.stalls().at({"Global", Phase::kBackward}) == Stall{1, 5});
  CHECK(made.stalls().at({"net", Phase::kBackward}) == Stall{2, 100});
  made.record(0).key.row = 99;
  CHECK(made.stalls().at({"", Phase::kOther}) == Stall{1, 70});
  made.record(0).check = checkOf(made.record(0), 0);
  CHECK(made.stalls().at({"", Phase::kOther}) == Stall{1, 70});
}

TEST_CASE("a reset zeroes the stalls and keeps their records; a forked child finds them") {
  StallLedger made;
  made.ledger->repairInForkedChild();
  made.ledger->zeroCounters();
  made.expose(1, made.net, 3);
  CHECK(made.stalls() == Stalls{{{"net", Phase::kBackward}, {1, 3}}});
  CHECK(made.record(0).exposed_ns == 3);
}

/// A ledger with a group of the global ranks 4 and 6, and two records of one row of the report: their sizes differ.
struct SplitLedger {
  SplitLedger() {
    key.op = ledger->intern("c10d.alltoall_base_");
    key.kind = Kind::kAllToAll;
    key.group = ledger->addGroup("0", "ep", "gloo", 2, 0, std::array<uint32_t, 2>{4, 6});
    count(1, {8, 24}, 1500);
    count(2, {0, 64}, 2000);
  }

  void count(uint8_t size_class, std::array<uint64_t, 2> bytes, uint64_t imbalance) {
    key.size_class = size_class & kSizeClassBits;
    LedgerCollective* row = ledger->row(key);
    REQUIRE(row != nullptr);
    ledger->count(*row, {1, bytes[0] + bytes[1]});
    LedgerSplits* splits = ledger->splitsOf(ledger->numberOf(row), 2, key.op);
    REQUIRE(splits != nullptr);
    LedgerWriter::countSplits(*splits, imbalance, bytes[0] == 0 ? 1 : 0, bytes[1] - bytes[0]);
    for (size_t i = 0; i < bytes.size(); ++i) {
      ledger->peersOf(*splits)[i].bytes += bytes[i];
    }
  }

  LedgerContents read() const {
    Result<LedgerContents> contents = readLedger(ledger->bytes());
    REQUIRE(contents);
    REQUIRE(contents->report.collectives.size() == 1);
    return std::move(*contents);
  }

  LedgerSplits& record(uint64_t number) const {
    return ledger->records<kSplits>()[number];
  }

  std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create();
  CollectiveKey key{};
};

TEST_CASE("the records of one row are added up, by global rank") {
  const Splits splits = SplitLedger().read().report.collectives[0].splits;
  CHECK(splits.calls == 2);
  CHECK(splits.imbalance == Imbalance{1.75, 2});
  CHECK(splits.zero_peers == 1);
  CHECK(splits.received_more == 16 + 64);
  CHECK(splits.peers == PeerBytes{{4, 8}, {6, 88}});
  CHECK(splits.hottest_peer == 6);
  CHECK(splits.coldest_peer == 4);
}

TEST_CASE("a record without calls is left out") {
  const SplitLedger made;
  made.record(0).calls = 0;
  CHECK(made.read().report.collectives[0].splits.peers == PeerBytes{{4, 0}, {6, 64}});
  made.record(1).calls = 0;
  CHECK(made.read().report.collectives[0].splits == Splits());
}

TEST_CASE("a damaged record is left out; peers that are not there, or of another number than ranks, are not known") {
  const SplitLedger made;
  made.record(0).first_peer = 1U << 20U;
  CHECK(made.read().damage == "the split sizes of a row of collectives is damaged and was left out");
  made.record(0).check = checkOf(made.record(0), 0);
  CHECK(made.read().damage.empty());
  CHECK(made.read().report.collectives[0].splits.calls == 2);
  CHECK(made.read().report.collectives[0].splits.peers.empty());
  made.record(0).first_peer = 0;
  made.record(0).key.peers = 3;
  made.record(0).check = checkOf(made.record(0), 0);
  CHECK(made.read().report.collectives[0].splits.peers.empty());
  made.record(0).key = {99, 2};
  made.record(0).check = checkOf(made.record(0), 0);
  CHECK(made.read().report.collectives[0].splits.calls == 1);
}

} // namespace

} // namespace commtap
