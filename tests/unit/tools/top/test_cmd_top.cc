// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <unistd.h>

#include <memory>

#include "report/base/process.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

/// Returns the published ledger of a job that runs on this host, as this process.
std::unique_ptr<LedgerWriter> runningLedger(const TempFolder& folder) {
  auto ledger = sampleLedger(1);
  LedgerHeader& header = ledger->header();
  header.exit = static_cast<uint32_t>(ExitKind::kRunning);
  header.pid = static_cast<uint64_t>(getpid());
  header.pid_start_ticks = processStartTicks(header.pid).value();
  header.host = ledger->intern(hostName());
  REQUIRE(ledger->publish(folder / "x.ledger"));
  return ledger;
}

TEST_CASE("top shows a running job once if its output is no terminal") {
  const TempFolder folder;
  const auto ledger = runningLedger(folder);
  const Outcome outcome = runCommtap({"top", "--interval", "0.1", folder.path()});
  CHECK(outcome.status() == 0);
  CHECK(has(outcome.out, "1 process, step 0"));
  CHECK(outcome.err.empty());
}

TEST_CASE("top exits with 1 if no job is running, and if a file cannot be read") {
  const TempFolder folder;
  const Outcome none = runCommtap({"top", "--once", "--interval", "0.1", folder.path()});
  CHECK(none.status() == 1);
  CHECK(has(none.err, "no running job was found on this machine that writes to " + folder.path()));
  const auto ledger = runningLedger(folder);
  writeText(folder / "bad.ledger", "x");
  const Outcome bad = runCommtap({"top", "--once", "--interval", "0.1", folder.path()});
  CHECK(bad.status() == 1);
  CHECK(has(bad.err, "bad.ledger"));
  CHECK(has(bad.out, "1 process, step 0"));
}

TEST_CASE("top exits with 2 for wrong usage, and for a folder that does not exist") {
  const TempFolder folder;
  CHECK(runCommtap({"top", folder / "none"}).status() == 2);
  CHECK(runCommtap({"top", "--interval", "0", folder.path()}).status() == 2);
  CHECK(runCommtap({"top", "--rows", "0", folder.path()}).status() == 2);
}

} // namespace
} // namespace commtap
