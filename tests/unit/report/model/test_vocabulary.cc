// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/vocabulary.h"

#include <doctest/doctest.h>

#include <array>

namespace commtap {
namespace {

TEST_CASE("each vocabulary value survives a round trip through its name") {
  for (int i = 0; i < kKindCount; ++i) {
    CHECK(kindFromName(kindName(static_cast<Kind>(i))) == static_cast<Kind>(i));
  }
  for (int i = 0; i < kPhaseCount; ++i) {
    CHECK(phaseFromName(phaseName(static_cast<Phase>(i))) == static_cast<Phase>(i));
  }
  for (int i = 0; i < kExitKindCount; ++i) {
    CHECK(exitKindFromName(exitKindName(static_cast<ExitKind>(i))) == static_cast<ExitKind>(i));
  }
  for (int i = 0; i < kStepSignCount; ++i) {
    CHECK(stepSignFromName(stepSignName(static_cast<StepSign>(i))) == static_cast<StepSign>(i));
  }
  CHECK_FALSE(kindFromName("sum"));
  CHECK_FALSE(phaseFromName("Forward"));
  CHECK_FALSE(exitKindFromName(""));
}

TEST_CASE("all_reduce and reduce_scatter reduce for all") {
  CHECK(isReductionForAll(Kind::kAllReduce));
  CHECK(isReductionForAll(Kind::kReduceScatter));
  CHECK_FALSE(isReductionForAll(Kind::kReduce));
  CHECK_FALSE(isReductionForAll(Kind::kAllGather));
}

TEST_CASE("a vocabulary value out of range has a name") {
  CHECK(kindName(static_cast<Kind>(99)) == "other");
  CHECK(phaseName(static_cast<Phase>(99)) == "other");
  CHECK(exitKindName(static_cast<ExitKind>(99)) == "killed");
}

/// Expected bus bytes for 800 bytes of payload in groups of 1, 2, 8 and an unknown number of ranks.
struct BusCase {
  Kind kind;
  std::array<double, 4> bus_bytes;
};

TEST_CASE("busBytes uses the factors of nccl-tests") {
  constexpr std::array<BusCase, kKindCount> kCases = {{
      {Kind::kAllReduce, {0, 800, 1400, 1600}},
      {Kind::kAllGather, {0, 400, 700, 800}},
      {Kind::kReduceScatter, {0, 400, 700, 800}},
      {Kind::kAllToAll, {0, 400, 700, 800}},
      {Kind::kBroadcast, {0, 800, 800, 800}},
      {Kind::kReduce, {0, 800, 800, 800}},
      {Kind::kGather, {0, 400, 700, 800}},
      {Kind::kScatter, {0, 400, 700, 800}},
      {Kind::kSend, {0, 800, 800, 800}},
      {Kind::kRecv, {0, 800, 800, 800}},
      {Kind::kBarrier, {0, 0, 0, 0}},
      {Kind::kOther, {0, 0, 0, 0}},
  }};
  constexpr std::array<uint32_t, 4> kSizes = {1, 2, 8, 0};
  for (const BusCase& bus_case : kCases) {
    for (size_t i = 0; i < kSizes.size(); ++i) {
      CAPTURE(kindName(bus_case.kind));
      CHECK(busBytes(bus_case.kind, 800, kSizes[i]) == doctest::Approx(bus_case.bus_bytes[i]));
    }
  }
}

} // namespace
} // namespace commtap
