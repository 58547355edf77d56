// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_modules.h"

#include <doctest/doctest.h>

#include <string>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/report/ledger/ledger_samples.h"

namespace commtap {
namespace {

TEST_CASE("the calls of a module are counted by phase") {
  const auto ledger = LedgerWriter::create();
  const uint32_t module = ledger->addModule(kGlobalModule, "Net", "Net", 0);
  ledger->countModuleCall(module, Phase::kForward);
  ledger->countModuleCall(module, Phase::kForward);
  ledger->countModuleCall(module, Phase::kRecompute);
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(report.modules[module].calls[static_cast<size_t>(Phase::kForward)] == 2);
  CHECK(report.modules[module].calls[static_cast<size_t>(Phase::kRecompute)] == 1);
}

TEST_CASE("a root with another name keeps its clean name; one that moves below a parent has its component's") {
  const auto ledger = LedgerWriter::create();
  const uint32_t ddp = ledger->addModule(kGlobalModule, "Ddp", "Ddp", 0, "Net");
  const uint32_t linear = ledger->addModule(kGlobalModule, "Linear", "Linear", 0);
  ledger->renameModule(ddp, "Ddp#2");
  ledger->reparentModule(linear, ddp, "module", true);
  const Report report = readLedger(ledger->bytes())->report;
  CHECK(report.modules[ddp].raw_name == "Ddp#2");
  CHECK(report.modules[ddp].name == "Net");
  CHECK(report.modules[linear].raw_name == "Ddp#2.module");
  CHECK(report.modules[linear].name == "Net");
}

TEST_CASE("a row that does not fit adds no strings") {
  const auto ledger = LedgerWriter::create();
  for (uint32_t i = 1; i < (128U << 10U); ++i) {
    ledger->addModule(kGlobalModule, "m", "M", 0);
  }
  ledger->addModule(kGlobalModule, "the first that does not fit", "M", 0);
  const uint64_t used = ledger->header().sections[kStrings].used;
  for (int i = 0; i < 1000; ++i) {
    ledger->addModule(kGlobalModule, "m" + std::to_string(i), "M" + std::to_string(i), 0);
  }
  CHECK(ledger->header().sections[kStrings].used == used);
}

} // namespace
} // namespace commtap
