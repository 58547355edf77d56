// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/environment_check.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

Environment environmentOf(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return Environment(variables.data());
}

TEST_CASE("an unknown name says which option was probably meant") {
  const std::vector<Diagnosis> diagnoses = checkOptions(environmentOf({"COMMTAP_OUTT=x", "PATH=/bin"}));
  REQUIRE(diagnoses.size() == 1);
  CHECK(diagnoses[0].health == Health::kWarning);
  CHECK(diagnoses[0].found == "COMMTAP_OUTT is not an option and was ignored");
  CHECK(diagnoses[0].todo.starts_with("did you mean COMMTAP_OUT? "));
}

TEST_CASE("each wrong variable has a line") {
  const std::vector<Diagnosis> diagnoses =
      checkOptions(environmentOf({"COMMTAP_LOG=loud", "COMMTAP_XYZZY=1", "COMMTAP=0"}));
  REQUIRE(diagnoses.size() == 3);
  CHECK(diagnoses[0].health == Health::kError);
  CHECK(diagnoses[0].todo == "unset COMMTAP");
  CHECK(diagnoses[1].found == "COMMTAP_LOG=loud is invalid and was ignored");
  CHECK(diagnoses[1].todo.starts_with("it must be off, error, warning, info or debug"));
  CHECK(diagnoses[2].todo.starts_with("the options are COMMTAP"));
}

TEST_CASE("good options are one good line") {
  const std::vector<Diagnosis> diagnoses = checkOptions(environmentOf({"COMMTAP_OUT=out"}));
  REQUIRE(diagnoses.size() == 1);
  CHECK(diagnoses[0].health == Health::kOk);
}

TEST_CASE("other preloads are named, and bad ones are warnings") {
  const TempFolder folder;
  writeText(folder / "libjemalloc.so", "");
  writeText(folder / "libcommtap.so", "");
  const std::string preload =
      "/own/libcommtap.so:" + (folder / "libjemalloc.so") + " /none/x.so:libfirst.so:" + (folder / "libcommtap.so");
  const std::string variable = "LD_PRELOAD=" + preload;
  const std::vector<Diagnosis> diagnoses =
      checkNeighbours(environmentOf({variable.c_str()}), "/own/libcommtap.so", {"python"});
  REQUIRE(diagnoses.size() == 4);
  CHECK(diagnoses[0].health == Health::kOk);
  CHECK(diagnoses[0].found == folder / "libjemalloc.so is preloaded too");
  CHECK(diagnoses[1].health == Health::kWarning);
  CHECK(has(diagnoses[1].found, "/none/x.so in LD_PRELOAD does not exist"));
  CHECK(diagnoses[2].found == "libfirst.so is preloaded too");
  CHECK(diagnoses[3].health == Health::kWarning);
  CHECK(has(diagnoses[3].found, "is another commtap"));
}

TEST_CASE("auditors and profilers are named") {
  const std::vector<Diagnosis> diagnoses = checkNeighbours(
      environmentOf({"LD_AUDIT=/a.so", "NCCL_PROFILER_PLUGIN=inspector"}), "/l.so", {"/opt/nsys", "profile"});
  REQUIRE(diagnoses.size() == 3);
  CHECK(diagnoses[0].health == Health::kWarning);
  CHECK(has(diagnoses[0].found, "LD_AUDIT=/a.so"));
  CHECK(diagnoses[1].health == Health::kOk);
  CHECK(has(diagnoses[1].found, "NCCL_PROFILER_PLUGIN=inspector"));
  CHECK(has(diagnoses[2].found, "/opt/nsys profiles the job"));
  CHECK(checkNeighbours(environmentOf({}), "/l.so", {"python"}).at(0).health == Health::kOk);
}

} // namespace
} // namespace commtap
