// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/verify_vocabulary.h"

#include <doctest/doctest.h>

#include <set>

namespace commtap {
namespace {

TEST_CASE("each class of a finding has a name of its own and a sentence") {
  std::set<std::string_view> names;
  for (int i = 0; i < kVerifyClassCount; ++i) {
    const auto what = static_cast<VerifyClass>(i);
    CHECK(names.insert(verifyClassName(what)).second);
    CHECK(verifyClassMeaning(what).ends_with('.'));
  }
  CHECK(verifyClassName(VerifyClass::kFewerSteps) == "fewer_steps");
  CHECK(verifySeverityName(VerifySeverity::kNote) == "note");
  CHECK(differenceCauseName(DifferenceCause::kGradients) == "gradients");
  CHECK(replicaEvidenceName(ReplicaEvidence::kStart) == "start");
  CHECK(verifyStatusName(VerifyStatus::kNothingToCompare) == "nothing_to_compare");
}

} // namespace
} // namespace commtap
