// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/torch_doctest.h"

#include <cstdlib>
#include <string>

#include "shim/tracker_abi.h"
#include "tests/unit/child.h"
#include "tests/unit/samples.h"
#include "tracker/core/process_ledger.h"
#include "tracker/torch/compat.h"

extern "C" const commtap_tracker* commtap_tracker_table();

namespace commtap {
namespace {

/// Runs `body` in a child that has started the tracker with reports in `folder`. Its first line is start()'s result.
template <typename Body>
ChildResult runStarted(const TempFolder& folder, const Body& body) {
  return runInChild([&] {
    setenv("COMMTAP_OUT", folder.path().c_str(), 1);
    setenv("COMMTAP_LEVEL", "ops", 1);
    setenv("COMMTAP_LOG", "off", 1);
    sayLine(std::to_string(commtap_tracker_table()->start("2.13.0", 0)));
    body(*commtap_tracker_table());
  });
}

void countStarted() {
  CollectiveKey key{};
  key.op = ProcessLedger::ledger().intern("test.started");
  key.group = kNoIndex;
  ProcessLedger::ledger().count(*ProcessLedger::ledger().row(key), {1, 8});
}

TEST_CASE("the stub finds a table of its version, for this torch") {
  const commtap_tracker* table = commtap_tracker_table();
  CHECK(table->abi == COMMTAP_ABI);
  CHECK(std::string(table->torch_version) == compat::builtForTorch());
  CHECK(table == commtap_tracker_table());
}

TEST_CASE("a tracker that has not started has nothing to finish") {
  const ChildResult child = runInChild([] {
    commtap_tracker_table()->signals(1, 15);
    commtap_tracker_table()->finish(COMMTAP_EXIT_NORMAL, 0);
  });
  CHECK(child.status == 0);
  CHECK(child.said.empty());
}

TEST_CASE("a tracker starts once, with the options of the environment") {
  const TempFolder folder;
  const ChildResult child = runStarted(folder, [](const commtap_tracker& table) {
    setenv("COMMTAP_LEVEL", "collectives", 1);
    sayLine(std::to_string(table.start(table.torch_version, 0)));
    sayLine(ProcessLedger::get().options().level == Level::kOps ? "ops" : "another level");
  });
  CHECK(child.said == "0\n0\nops\n");
}

TEST_CASE("the end of a process that has communicated is a report; that of a silent one is none") {
  const TempFolder folder;
  runStarted(folder, [](const commtap_tracker& table) { table.finish(COMMTAP_EXIT_UNDERSCORE, 3); });
  CHECK(namesIn(folder.path()).empty());
  runStarted(folder, [](const commtap_tracker& table) {
    countStarted();
    ProcessLedger::get().processGroupSeen(0, 2);
    table.finish(COMMTAP_EXIT_UNDERSCORE, 3);
  });
  CHECK_FALSE(namesIn(folder.path()).empty());
}

} // namespace
} // namespace commtap
