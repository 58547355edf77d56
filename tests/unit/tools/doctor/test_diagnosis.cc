// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <doctest/doctest.h>

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

TEST_CASE("the JSON of a diagnosis has check, state, found and todo") {
  CHECK(
      diagnosesJson({kSome[0]}) ==
      "[\n  {\n    \"check\": \"torch\",\n    \"state\": \"ok\",\n    \"found\": \"torch 2.13.0\",\n    \"todo\": "
      "\"\"\n"
      "  }\n]\n");
  CHECK(has(diagnosesJson({{DoctorCheck::kOutput, Health::kError, "\xff", ""}}), "\"state\": \"error\""));
}

TEST_CASE("only an error makes a command unhealthy") {
  CHECK(isHealthy(kSome));
  CHECK_FALSE(isHealthy({kSome[0], {DoctorCheck::kSpace, Health::kError, "full"}}));
}

TEST_CASE("every check has a name and a row in the page") {
  for (size_t i = 0; i < kDoctorCheckCount; ++i) {
    const std::string name(doctorCheckName(static_cast<DoctorCheck>(i)));
    CHECK_FALSE(name.empty());
    CHECK(has(doctorCheckTable(), "\n| `" + name + "` | "));
  }
}

} // namespace
} // namespace commtap
