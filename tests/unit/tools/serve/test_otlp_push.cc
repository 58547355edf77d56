// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/otlp_push.h"

#include <doctest/doctest.h>
#include <httplib.h>

#include <atomic>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// A collector that answers with the given statuses in turn, and then with 200.
class Collector {
 public:
  explicit Collector(std::vector<int> statuses, std::string body = "{}") {
    server_.Post("/v1/metrics", [this, statuses, body](const httplib::Request& request, httplib::Response& answer) {
      const size_t nth = requests_++;
      last_ = request.get_header_value("Content-Type") + " " + request.body;
      answer.status = nth < statuses.size() ? statuses[nth] : 200;
      answer.set_content(body, "application/json");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  ~Collector() {
    server_.stop();
    thread_.join();
  }

  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/v1/metrics";
  }
  size_t requests() const {
    return requests_;
  }
  /// Waits up to ten seconds.
  bool reaches(size_t requests) const {
    for (int i = 0; i < 1000 && requests_ < requests; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return requests_ >= requests;
  }
  const std::string& last() const { // after the push has ended
    return last_;
  }

 private:
  httplib::Server server_;
  std::thread thread_;
  int port_ = 0;
  std::atomic<size_t> requests_{0};
  std::string last_;
};

OtlpPush::Collect always(std::string body) {
  return [body] { return std::vector<std::string>{body}; };
}

TEST_CASE("a path is added to a collector's address only") {
  CHECK(otlpMetricsUrl("http://collector:4318") == "http://collector:4318/v1/metrics");
  CHECK(otlpMetricsUrl("http://collector:4318/") == "http://collector:4318/v1/metrics");
  CHECK(otlpMetricsUrl("http://gateway/otlp/metrics") == "http://gateway/otlp/metrics");
}

TEST_CASE("metrics are pushed at once, every interval, and at the end") {
  const Collector collector({});
  std::vector<std::string> said;
  {
    const OtlpPush push({collector.url(), std::chrono::milliseconds(50)}, always("{\"a\":1}"), [&](const auto& line) {
      said.push_back(line);
    });
    CHECK(collector.reaches(3));
  }
  CHECK(collector.last() == "application/json {\"a\":1}");
  CHECK(said.empty());
  const Collector other({});
  {
    const OtlpPush push({other.url(), std::chrono::hours(1)}, always("{}"), [](const auto&) {});
  }
  CHECK(other.requests() >= 1);
}

TEST_CASE("an overloaded collector gets the request again, a refusal is final; both are said once") {
  std::vector<std::string> said;
  const auto note = [&](const std::string& line) { said.push_back(line); };
  {
    const Collector collector({503, 429});
    const OtlpPush push({collector.url(), std::chrono::hours(1)}, always("{}"), note);
    CHECK(collector.reaches(3));
  }
  REQUIRE(said.size() == 2);
  CHECK(has(said[0], "answered with status 503"));
  CHECK(has(said[1], "takes metrics again"));
  said.clear();
  const Collector refuses({400, 400, 400, 400});
  {
    const OtlpPush push({refuses.url(), std::chrono::milliseconds(20)}, always("{}"), note);
    CHECK(refuses.reaches(3));
  }
  REQUIRE_FALSE(said.empty());
  CHECK(has(said[0], "answered with status 400"));
}

TEST_CASE("points that a collector rejects are said") {
  std::vector<std::string> said;
  const Collector collector({}, R"({"partialSuccess": {"rejectedDataPoints": "3", "errorMessage": "too old"}})");
  {
    const OtlpPush push(
        {collector.url(), std::chrono::hours(1)}, always("{}"), [&](const auto& s) { said.push_back(s); });
  }
  REQUIRE_FALSE(said.empty());
  CHECK(has(said[0], "3 data points rejected: \"too old\""));
}

} // namespace
} // namespace commtap
