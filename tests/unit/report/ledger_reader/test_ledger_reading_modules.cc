// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "report/ledger/ledger_writer.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/model/stretches.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a read module has its clean and raw name, parent, calls and parameters") {
  const Report report = sampleReport(0);
  REQUIRE(report.modules.size() == 5);
  CHECK(report.modules[0].name == "Global");
  CHECK_FALSE(report.modules[0].parent);
  CHECK(report.modules[2].name == "DistributedDataParallel");
  CHECK(report.modules[2].raw_name == "DistributedDataParallel.module");
  const Module& net1 = report.modules[3];
  CHECK(net1.name == "DistributedDataParallel.net1");
  CHECK(net1.raw_name == "DistributedDataParallel.module.net1");
  CHECK(net1.parent == 2U);
  CHECK(net1.calls[static_cast<size_t>(Phase::kForward)] == 1);
  REQUIRE(net1.parameters.size() == 2);
  CHECK(net1.parameters[0].local_shape == std::vector<int64_t>{4, 10});
  CHECK(net1.parameters[0].placements == std::vector<std::string>{"Shard(0)"});
  CHECK(net1.parameters[0].mesh == R"({"tp":4})");
}

TEST_CASE("two groups with equal names get distinct names") {
  const auto ledger = LedgerWriter::create();
  ledger->addGroup("0", "", "gloo", 1, 0, {});
  ledger->addGroup("0", "", "nccl", 1, 0, {});
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(report.groups[0].name == "0");
  CHECK(report.groups[1].name == "0#2");
}

TEST_CASE("a root that is later reparented is read as a child") {
  const auto ledger = LedgerWriter::create();
  const uint32_t child = ledger->addModule(kGlobalModule, "Linear", "Linear", 0);
  const uint32_t parent = ledger->addModule(kGlobalModule, "MLP", "MLP", 0);
  ledger->reparentModule(child, parent, "net1");
  CHECK(readLedger(ledger->bytes())->report.modules[child].name == "MLP.net1");
}

TEST_CASE("a module has the clean name of its root, and the classes that wrap it or swapped its class") {
  const auto ledger = LedgerWriter::create();
  const uint32_t ddp = ledger->addModule(kGlobalModule, "Ddp", "Ddp", 0, "Net");
  const uint32_t net = ledger->addModule(ddp, "module", "FSDPModule/Net", kModuleWrapperComponent);
  const uint32_t up = ledger->addModule(net, "up", "parametrize/FSDPModule/Linear", 0);
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(report.modules[ddp].name == "Net");
  CHECK(report.modules[net].name == "Net");
  CHECK(report.modules[up].name == "Net.up");
  CHECK(report.modules[up].raw_name == "Ddp.module.up");
  CHECK(report.modules[ddp].wrappers.empty());
  CHECK(report.modules[net].class_name == "Net");
  CHECK(report.modules[net].wrappers == std::vector<std::string>{"Ddp", "FSDPModule"});
  CHECK(report.modules[up].class_name == "Linear");
  CHECK(report.modules[up].wrappers == std::vector<std::string>{"parametrize", "FSDPModule"});
}

/// Returns a ledger whose only group has issued `calls` collectives.
std::unique_ptr<LedgerWriter> ledgerWithCalls(uint64_t calls) {
  auto ledger = LedgerWriter::create();
  REQUIRE(ledger);
  ledger->addGroup("g", "", "gloo", 2, 0, {});
  ledger->records<kGroups>()[0].issued[0] = calls;
  return ledger;
}

TEST_CASE("the sums of a group are read up to the first part that the ledger does not have") {
  const auto ledger = ledgerWithCalls(stretchBegin(3 * kStretchesPerPart));
  ledger->addToSequence(0, 1, {});
  ledger->addToSequence(0, stretchBegin(2 * kStretchesPerPart), {});
  CHECK(readLedger(ledger->bytes())->report.groups.at(0).stretches.size() == kStretchesPerPart);
  ledger->addToSequence(0, stretchBegin(kStretchesPerPart), {});
  CHECK(readLedger(ledger->bytes())->report.groups.at(0).stretches.size() == 3 * kStretchesPerPart);
}

TEST_CASE("no sums are read beyond the last collective of a group, nor those of an unknown group") {
  const auto ledger = ledgerWithCalls(kStretchCalls + 1);
  ledger->addToSequence(0, 1, {});
  ledger->addToSequence(7, 1, {});
  CHECK(readLedger(ledger->bytes())->report.groups.at(0).stretches.size() == 2);
  ledger->records<kGroups>()[0].issued[0] = 0;
  const Result<LedgerContents> contents = readLedger(ledger->bytes());
  CHECK(contents->report.groups.at(0).stretches.empty());
  CHECK(contents->damage.empty());
}

} // namespace

} // namespace commtap
