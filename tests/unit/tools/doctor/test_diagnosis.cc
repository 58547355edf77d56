// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <doctest/doctest.h>

#include "report/json/row_write.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

const std::vector<Diagnosis> kSome = {
    {DoctorCheck::kTorch, Health::kOk, "torch 2.13.0"},
    {DoctorCheck::kPythonPart, Health::kWarning, "none for \x1b[1m3.9", "use another Python"},
};

TEST_CASE("a diagnosis is one line: health, check, what was found, what to do") {
  CHECK(
      diagnosesText(kSome, Color::none()) ==
      "warning  python part  none for \\x1b[1m3.9: use another Python\n"
      "ok       torch        torch 2.13.0\n"
      "verdict: no error; see the warning at python part\n");
}

TEST_CASE("the last line is the verdict, and errors come first") {
  CHECK(has(diagnosesText({kSome[0]}, Color::none()), "\nverdict: a job would be counted\n"));
  std::vector<Diagnosis> bad = kSome;
  bad.push_back({DoctorCheck::kSpace, Health::kError, "full"});
  const std::string text = diagnosesText(bad, Color::none());
  CHECK(text.starts_with("error    space        full\nwarning  "));
  CHECK(
      text.ends_with("\nverdict: a job would not be counted, or its reports would not be where you look; see space\n"));
}

TEST_CASE("the JSON of doctor has check, state, found and todo of each check") {
  CHECK(
      jsonDocument(DoctorReport{.verdict = "x", .checks = {kSome[0]}}) ==
      "{\"schema\":\"commtap.doctor/"
      "1\",\"verdict\":\"x\",\"checks\":[{\"check\":\"torch\",\"state\":\"ok\",\"found\":\"torch 2.13.0\","
      "\"todo\":\"\"}]}\n");
  CHECK(
      has(jsonDocument(DoctorReport{.checks = {{DoctorCheck::kOutput, Health::kError, "\xff", ""}}}),
          "\"state\":\"error\""));
}

TEST_CASE("only an error makes a command unhealthy") {
  CHECK(isHealthy(kSome));
  CHECK_FALSE(isHealthy({kSome[0], {DoctorCheck::kSpace, Health::kError, "full"}}));
}

TEST_CASE("every check has a name and a sentence on it") {
  for (int i = 0; i < EnumNames<DoctorCheck>::kCount; ++i) {
    const auto check = static_cast<DoctorCheck>(i);
    CHECK_FALSE(EnumNames<DoctorCheck>::name(check).empty());
    CHECK(EnumNames<DoctorCheck>::meaning(check).ends_with('.'));
  }
}

} // namespace
} // namespace commtap
