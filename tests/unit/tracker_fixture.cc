// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/tracker_fixture.h"

#include "tests/unit/torch_doctest.h"

#include <cstdlib>

#include "report/ledger_reader/ledger_reader.h"
#include "tests/unit/samples.h"
#include "tracker/core/process_ledger.h"

namespace commtap {

TrackerFixture::TrackerFixture() {
  static const TempFolder* const folder = new TempFolder(); // leaked on purpose: lives as long as the process
  static const bool started = [] {
    Options options;
    options.out = folder->path();
    return ProcessLedger::start(options, "2.13.0+test");
  }();
  REQUIRE(started);
}

Report TrackerFixture::report() const {
  const Result<LedgerContents> contents = readLedger(ProcessLedger::ledger().bytes());
  REQUIRE(contents);
  return contents->report;
}

std::vector<Collective> TrackerFixture::rows(std::string_view op) const {
  std::vector<Collective> found;
  for (const Collective& row : report().collectives) {
    if (row.op == op) {
      found.push_back(row);
    }
  }
  return found;
}

uint64_t TrackerFixture::notSeen(std::string_view reason) const {
  for (const NotSeenEntry& entry : report().not_seen) {
    if (entry.reason == reason) {
      return entry.count;
    }
  }
  return 0;
}

ChildResult TrackerFixture::runInTrackedChild(const std::function<void()>& body) {
  return runInChild([&] {
    ProcessLedger::get().resetInForkedChild();
    body();
  });
}

} // namespace commtap
