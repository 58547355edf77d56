// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

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
  for (const char* verb : {"show", "merge", "advise", "verify"}) {
    CAPTURE(verb);
    const Outcome other = runCommtap({verb}, {"COMMTAP_OUT=" + folder.path()});
    CHECK(has(other.err, "commtap: reading " + folder.path()));
  }
}

TEST_CASE("list exits with 2 for a folder that does not exist, and with 1 for one without reports") {
  const TempFolder empty;
  CHECK(runCommtap({"list", empty / "none"}).status() == 2);
  CHECK(runCommtap({"list", empty.path()}).status() == 1);
  CHECK(has(runCommtap({"list"}).err, "commtap-out does not exist"));
}

} // namespace
} // namespace commtap
