// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/graph_captures.h"

#include <doctest/doctest.h>

#include "tests/cuda/fake_cuda.h"
#include "tests/unit/issued_call.h"

namespace commtap {
namespace {

LedgerNcclCall& ncclRow(std::string_view function) {
  LedgerWriter& ledger = ProcessLedger::ledger();
  REQUIRE(ledger.countNccl(22907));
  NcclKey key{ledger.intern(function), kNoIndex, 0, kNoIndex, kGlobalModule, Phase::kOther, 7, 0, 0};
  return *ledger.row(key);
}

TEST_CASE_FIXTURE(TrackerFixture, "a captured collective counts with each launch of an instance of its graph") {
  const commtap_cuda& cuda = *GraphCaptures::hooks();
  LedgerNcclCall& called = ncclRow("ncclGraphTest");
  OpFrame call = issuedCall("test.captured", 64);
  fake_stream stream{};
  const int graph = 0;
  const int instance = 0;
  const size_t graphs = report().cuda_graphs.size();
  CHECK_FALSE(GraphCaptures::isCapturing());
  CHECK_FALSE(GraphCaptures::capture(&stream, called, 64, &call));

  cuda.capture_began();
  stream.capture = 3;
  CHECK(GraphCaptures::isCapturing());
  CHECK(GraphCaptures::capture(&stream, called, 32, &call));
  CHECK(GraphCaptures::capture(&stream, called, 32, &call)); // a second NCCL call of the same collective
  CHECK(call.captured);
  CHECK(rows("test.captured").empty());
  fake_stream beside{};
  CHECK_FALSE(GraphCaptures::capture(&beside, called, 64, nullptr));
  CHECK(cuda.capture_of(&stream) == 3);
  cuda.capture_ended(3, &graph);
  stream.capture = 0;
  CHECK_FALSE(GraphCaptures::isCapturing());

  cuda.launched(&instance, &stream); // not yet an instance of the graph
  CHECK(rows("test.captured").empty());
  cuda.shares(&graph, &instance);
  cuda.gone(&graph);
  cuda.launched(&instance, &stream);
  cuda.launched(&instance, &stream);
  REQUIRE(rows("test.captured").size() == 1);
  CHECK(rows("test.captured")[0].count == 2);
  CHECK(rows("test.captured")[0].bytes == 128);
  CHECK(called.count == 4);
  CHECK(called.bytes == 128);
  REQUIRE(report().cuda_graphs.size() == graphs + 1);
  CHECK(report().cuda_graphs.back().launches == 2);

  cuda.gone(&instance);
  cuda.launched(&instance, &stream);
  CHECK(rows("test.captured")[0].count == 2);
}

TEST_CASE_FIXTURE(TrackerFixture, "a capture that began before the shim may end") {
  const commtap_cuda& cuda = *GraphCaptures::hooks();
  cuda.capture_ended(0, nullptr);
  CHECK_FALSE(GraphCaptures::isCapturing());
  cuda.capture_began();
  CHECK(GraphCaptures::isCapturing());
  cuda.capture_ended(9, nullptr);
  CHECK_FALSE(GraphCaptures::isCapturing());
}

} // namespace
} // namespace commtap
