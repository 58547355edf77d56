// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/exposition.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace commtap {
namespace {

using Json = nlohmann::json;

std::string labelsOf(const char* rank, const char* module) {
  return MetricLabels().with({{"run_id", "run \"7\""}, {"attempt", "0"}, {"rank", rank}, {"module", module}}).text();
}

Exposition sample() {
  Exposition exposition;
  exposition.add(MetricId::kPayloadBytes, labelsOf("0", "Net.a"), uint64_t{42});
  exposition.add(MetricId::kPayloadBytes, labelsOf("1", "Net.a"), UINT64_MAX);
  exposition.add(MetricId::kPayloadBytes, labelsOf("0", "Net.b"), uint64_t{43});
  exposition.add(MetricId::kProcessStart, labelsOf("0", ""), 1'700'000'000.25);
  exposition.add(MetricId::kUnreadableFiles, "", uint64_t{0});
  return exposition;
}

TEST_CASE("each rank is a resource, other labels are attributes of points") {
  const std::vector<std::string> bodies =
      otlpRequests(sample(), {.host = "node1", .now_ns = 1'700'000'001'000'000'000});
  REQUIRE(bodies.size() == 1);
  const Json resources = Json::parse(bodies[0])["resourceMetrics"];
  REQUIRE(resources.size() == 3); // none, rank 0, rank 1
  const Json attributes = resources[1]["resource"]["attributes"];
  CHECK(attributes[1] == Json::parse(R"({"key": "host.name", "value": {"stringValue": "node1"}})"));
  CHECK(attributes[2] == Json::parse(R"({"key": "commtap.run_id", "value": {"stringValue": "run \"7\""}})"));
  CHECK(attributes[4] == Json::parse(R"({"key": "commtap.rank", "value": {"intValue": "0"}})"));
  const Json metrics = resources[1]["scopeMetrics"][0]["metrics"];
  REQUIRE(metrics.size() == 2);
  CHECK(metrics[0]["name"] == "commtap_payload_bytes");
  CHECK(metrics[0]["unit"] == "By");
  CHECK(metrics[0]["sum"]["aggregationTemporality"] == 2);
  CHECK(metrics[0]["sum"]["isMonotonic"] == true);
  const Json point = metrics[0]["sum"]["dataPoints"][0];
  CHECK(point["asInt"] == "42");
  CHECK(point["startTimeUnixNano"] == "1700000000250000000");
  CHECK(point["timeUnixNano"] == "1700000001000000000");
  CHECK(point["attributes"] == Json::parse(R"([{"key": "module", "value": {"stringValue": "Net.a"}}])"));
  CHECK(metrics[1]["gauge"]["dataPoints"][0]["asDouble"] == 1'700'000'000.25);
}

TEST_CASE("a sum beyond OTLP's integers is a floating-point number; a rank of unknown start has none") {
  const Json resources = Json::parse(otlpRequests(sample(), {})[0])["resourceMetrics"];
  const Json point = resources[2]["scopeMetrics"][0]["metrics"][0]["sum"]["dataPoints"][0];
  CHECK(point["asDouble"].get<double>() == doctest::Approx(1.8446744e19));
  CHECK_FALSE(point.contains("startTimeUnixNano"));
}

TEST_CASE("requests are bounded, and together have every point") {
  Exposition exposition;
  for (int i = 0; i < 25; ++i) {
    exposition.add(MetricId::kSteps, labelsOf(std::to_string(i / 10).c_str(), std::to_string(i).c_str()), uint64_t{1});
  }
  const std::vector<std::string> bodies = otlpRequests(exposition, {.max_points = 7});
  REQUIRE(bodies.size() == 4);
  size_t points = 0;
  for (const std::string& body : bodies) {
    size_t of_request = 0;
    const Json request = Json::parse(body);
    for (const Json& resource : request["resourceMetrics"]) {
      of_request += resource["scopeMetrics"][0]["metrics"][0]["sum"]["dataPoints"].size();
    }
    CHECK(of_request <= 7);
    points += of_request;
  }
  CHECK(points == 25);
  CHECK(otlpRequests(Exposition(), {}).empty());
}

} // namespace
} // namespace commtap
