// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_vocabulary.h"

#include <doctest/doctest.h>

#include <set>

namespace commtap {
namespace {

TEST_CASE("each reason has a name of its own and a sentence") {
  std::set<std::string_view> names;
  for (int i = 0; i < kHangReasonCount; ++i) {
    const auto reason = static_cast<HangReason>(i);
    names.insert(hangReasonName(reason));
    CHECK(hangReasonMeaning(reason).ends_with("."));
  }
  CHECK(names.size() == kHangReasonCount);
  CHECK(hangReasonName(HangReason::kQuiet) == "quiet");
  CHECK(hangReasonName(HangReason::kRoot) == "root");
  CHECK(hangStatusName(HangStatus::kFailed) == "failed");
  CHECK(hangStatusName(HangStatus::kUnknown) == "unknown");
  CHECK(rankStateName(RankState::kUnknown) == "unknown");
  CHECK(rankRoleName(RankRole::kOther) == "other");
}

} // namespace
} // namespace commtap
