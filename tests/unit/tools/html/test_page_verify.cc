// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_columns.h"

#include <doctest/doctest.h>

namespace commtap::page {
namespace {

VerifyFinding findingOf(VerifySeverity severity, const char* line) {
  VerifyFinding finding;
  finding.severity = severity;
  finding.lines = {line, "where to look"};
  return finding;
}

TEST_CASE("a verdict has its status, its first line, and the words of errors and warnings") {
  Verification verification;
  verification.status = VerifyStatus::kWrong;
  verification.line = "WRONG: a";
  verification.findings = {
      findingOf(VerifySeverity::kError, "WRONG: a"),
      findingOf(VerifySeverity::kWarning, "WARNING: b"),
      findingOf(VerifySeverity::kNote, "NOTE: c")};
  const nlohmann::json page = verifyOf(&verification);
  CHECK(page["status"] == "wrong");
  CHECK(page["line"] == "WRONG: a");
  CHECK(page["found"].dump() == R"([["WRONG: a","where to look"],["WARNING: b","where to look"]])");
}

TEST_CASE("a run without samples has no verdict") {
  CHECK(verifyOf(nullptr).is_null());
}

} // namespace
} // namespace commtap::page
