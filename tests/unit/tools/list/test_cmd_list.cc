// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/base/process.h"
#include "report/runs/output.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("list prints the runs of a folder, as a table or a document") {
  const SampleFolder folder;
  const Outcome text = runCommtap({"list", folder.path()});
  CHECK(text.status() == 0);
  CHECK(has(text.out, "sample-run"));
  const Outcome json = runCommtap({"list", "--json", folder.path()});
  CHECK(nlohmann::json::parse(json.out)["runs"].size() == 1);
}

TEST_CASE("without a folder, that of COMMTAP_OUT is read and named") {
  const SampleFolder folder;
  const Outcome outcome = runCommtap({"list"}, {"COMMTAP_OUT=" + folder.path() + "/%j"});
  CHECK(outcome.status() == 0);
  CHECK(has(outcome.err, "commtap: reading " + folder.path()));
  CHECK(has(outcome.out, "sample-run"));
  for (const char* verb : {"show", "advise", "verify"}) {
    CAPTURE(verb);
    const Outcome other = runCommtap({verb}, {"COMMTAP_OUT=" + folder.path()});
    CHECK(has(other.err, "commtap: reading " + folder.path()));
  }
}

TEST_CASE("list makes the report of a killed process from its ledger, and exits with 1 for one that it cannot read") {
  const TempFolder folder;
  const auto ledger = sampleLedger(1);
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  REQUIRE(ledger->publish(folder / ledgerFileName("rank", {hostName(), 1ULL << 30U, -1, "", 0})));
  CHECK(runCommtap({"list", folder.path()}).status() == 0);
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"rank-00001.json"});
  writeText(folder / "bad.ledger", "x");
  CHECK(runCommtap({"list", folder.path()}).status() == 1);
}

TEST_CASE("list says which time it takes, and exits with 2 for another") {
  const SampleFolder folder;
  const Outcome wrong = runCommtap({"list", folder.path(), "--since", "night"});
  CHECK(wrong.status() == 2);
  CHECK(has(wrong.err, "write 90m, 24h or 7d"));
  const Outcome none = runCommtap({"list", folder.path(), "--failed", "--since", "7d"});
  CHECK_FALSE(has(none.out, "sample-run"));
  CHECK(none.err == "commtap: no run in " + folder.path() + " failed or was killed, of those of the last 7d\n");
  CHECK(has(runCommtap({"list", folder.path(), "--failed"}).err, " failed or was killed\n"));
}

TEST_CASE("list exits with 2 for a folder that does not exist, and with 1 for one without reports") {
  const TempFolder empty;
  CHECK(runCommtap({"list", empty / "none"}).status() == 2);
  CHECK(runCommtap({"list", empty.path()}).status() == 1);
  CHECK(has(runCommtap({"list"}).err, "commtap-out does not exist"));
}

} // namespace
} // namespace commtap
