// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/fabric.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// A file of nccl-tests: `nodes` processes on as many hosts, with 4 GPUs each. Each size takes its bytes in us and a
/// hundredth more in place.
std::string ncclTests(const std::string& program, int nodes, const std::vector<int>& sizes, double factor = 1) {
  std::string devices;
  for (int i = 0; i < nodes; ++i) {
    devices += (i == 0 ? "" : ", ") + std::string(R"({"group": 0, "hostname": "node)") + std::to_string(i) + "\"}";
  }
  std::string results;
  for (const int size : sizes) {
    results += (results.empty() ? "" : ", ") + std::string("{\"size\": ") + std::to_string(size) +
               R"(, "out_of_place": {"time": )" + std::to_string(factor * size) +
               R"(, "nwrong": null}, "in_place": {"time": )" + std::to_string(1.01 * factor * size) + "}}";
  }
  return R"({"version": 3, "args": ["./build/)" + program +
         R"(", "-J", "a.json"], "config": {"nthreads": 1, "ngpus": 4, "devices": [)" + devices + R"(]}, "results": [)" +
         results + "]}";
}

Messages messagesOf(Kind kind, uint32_t ranks, uint32_t nodes, uint64_t bytes) {
  return {kind, "dp", ranks, nodes, bytes, bytes, 1, static_cast<double>(bytes), 0};
}

TEST_CASE("a measured size has its measured time") {
  Fabric fabric;
  CHECK(fabric.empty());
  REQUIRE(fabric.addNcclTests(ncclTests("all_reduce_perf", 1, {1024, 2048, 4096}), "a.json").empty());
  CHECK_FALSE(fabric.empty());
  const Prediction found = fabric.predict(messagesOf(Kind::kAllReduce, 4, 1, 2048));
  REQUIRE(found.isKnown());
  CHECK(found.source == "a.json");
  CHECK(found.low_ns == doctest::Approx(2048e3));
  CHECK(found.high_ns == doctest::Approx(1.01 * 2048e3));
  CHECK(found.error < 1e-6); // the times are a line
}

TEST_CASE("the error is by how much a measured time differs from what its neighbours predict") {
  Fabric fabric;
  std::string text = ncclTests("all_reduce_perf", 1, {1024, 2048, 4096});
  const std::string time = R"("time": 2048.)";
  text.replace(text.find(time), time.size(), R"("time": 4096.)");
  REQUIRE(fabric.addNcclTests(text, "a.json").empty());
  const Prediction found = fabric.predict(messagesOf(Kind::kAllReduce, 4, 1, 3000));
  CHECK(found.error > 0.2);
  CHECK(found.low_ns < 3000e3);
  CHECK(found.high_ns > 3000e3);
}

TEST_CASE("what was not measured is refused") {
  Fabric fabric;
  REQUIRE(fabric.addNcclTests(ncclTests("all_gather_perf", 1, {1024, 2048, 4096}), "a.json").empty());
  CHECK(has(fabric.predict(messagesOf(Kind::kAllGather, 4, 1, 1 << 20)).refused, "measured from 1024 to 4096 bytes"));
  CHECK(has(fabric.predict(messagesOf(Kind::kAllGather, 4, 1, 100)).refused, "measured from 1024"));
  CHECK(has(fabric.predict(messagesOf(Kind::kAllGather, 8, 2, 2048)).refused, "measured with 4 ranks on 1 node"));
  CHECK(has(fabric.predict(messagesOf(Kind::kAllGather, 2, 1, 2048)).refused, "all_gather of 2 ranks on 1 node"));
  CHECK(has(fabric.predict(messagesOf(Kind::kAllReduce, 4, 1, 2048)).refused, "measured never"));
  CHECK(fabric.predict(messagesOf(Kind::kAllGather, 4, 1, 5000)).isKnown()); // of the last size's class
}

TEST_CASE("between two measured numbers of ranks equal bus bytes take equal time") {
  Fabric fabric;
  const std::vector<int> sizes = {1024, 2048, 4096, 8192};
  REQUIRE(fabric.addNcclTests(ncclTests("all_reduce_perf", 2, sizes), "8.json").empty());
  REQUIRE(fabric.addNcclTests(ncclTests("all_reduce_perf", 8, sizes, 2), "32.json").empty());
  const Prediction found = fabric.predict(messagesOf(Kind::kAllReduce, 16, 4, 4096));
  REQUIRE(found.isKnown());
  CHECK(found.source == "8.json, 32.json");
  CHECK(found.low_ns == doctest::Approx(4096e3 * (15.0 / 16) / (7.0 / 8)));
  CHECK(found.high_ns == doctest::Approx(2 * 1.01 * 4096e3 * (15.0 / 16) / (31.0 / 32)));
  CHECK_FALSE(fabric.predict(messagesOf(Kind::kAllReduce, 64, 16, 4096)).isKnown());
}

TEST_CASE("two ranks take part in a send, however large the group is") {
  Fabric fabric;
  REQUIRE(fabric.addNcclTests(ncclTests("sendrecv_perf", 2, {1024, 2048}), "s.json").empty());
  CHECK(fabric.predict(messagesOf(Kind::kSend, 64, 8, 1500)).isKnown());
  CHECK(fabric.predict(messagesOf(Kind::kRecv, 64, 8, 1500)).isKnown());
  CHECK_FALSE(fabric.predict(messagesOf(Kind::kSend, 64, 1, 1500)).isKnown());
}

TEST_CASE("a file that is no result of nccl-tests is refused") {
  Fabric fabric;
  CHECK(has(fabric.addNcclTests(ncclTests("my_perf", 1, {1024}), "a"), "my_perf"));
  CHECK_FALSE(fabric.addNcclTests("{}", "a").empty());
  CHECK_FALSE(fabric.addNcclTests("[", "a").empty());
  CHECK_FALSE(fabric.addNcclTests(ncclTests("all_reduce_perf", 1, {}), "a").empty());
}

TEST_CASE("a run with times is a source: the middle of the times of a size class") {
  Report report = sampleReport(0);
  report.groups.resize(1);
  report.groups[0].size = 2;
  report.groups[0].ranks = {0, 1};
  report.collectives.resize(1);
  Collective& row = report.collectives[0];
  row.kind = Kind::kAllReduce;
  row.group = report.groups[0].name;
  row.count = 10;
  row.sizes = {{1024, 10}};
  Durations& running = row.time.durations[static_cast<size_t>(DurationKind::kRunning)];
  running = {10, 100'000, 5000, 50'000, {{4096, 1}, {8192, 8}, {32768, 1}}};
  row.time.bytes = 15'000;
  Report other = report;
  other.job.rank = 1;
  Fabric fabric;
  REQUIRE(fabric.addRun({report, other}, "run").empty());
  const Prediction found = fabric.predict(messagesOf(Kind::kAllReduce, 2, 1, 1500));
  REQUIRE(found.isKnown());
  CHECK(found.low_ns == 5000);
  CHECK(found.high_ns == 16384);
  CHECK_FALSE(fabric.predict(messagesOf(Kind::kAllReduce, 2, 1, 4096)).isKnown());
  CHECK(has(Fabric().addRun({sampleReport(0)}, "run"), "no times"));
}

} // namespace
} // namespace commtap
