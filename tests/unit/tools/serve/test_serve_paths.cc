// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/serve_paths.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/json/report_json.h"
#include "tests/unit/running_server.h"
#include "tests/unit/samples.h"
#include "tools/serve/live_jobs.h"

namespace commtap {
namespace {

const std::string kOk = "HTTP/1.1 200 ";
const std::string kNotFound = "HTTP/1.1 404 ";

/// Serves a folder with the report of one rank of the run `run_id`.
class ServedFolder {
 public:
  explicit ServedFolder(const std::string& run_id = "sample-run") {
    Report report = sampleReport(0);
    report.job.run_id = run_id;
    writeText(folder_ / "rank-00000.json", reportToJson(report));
  }

  std::string get(const std::string& path) const {
    return server_.get(path);
  }

 private:
  TempFolder folder_;
  LiveMetrics live_{LiveFolder(folder_.path(), "node1", std::chrono::minutes(10)), std::nullopt, 500};
  RunningServer server_{[this](HttpServer& server) { addServePaths(server, live_, "out"); }};
};

std::string bodyOf(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

TEST_CASE("each path has its answer, and other paths have none") {
  const ServedFolder served;
  CHECK(served.get("/metrics").find("\ncommtap_ranks{") != std::string::npos);
  CHECK(
      served.get("/").find("<h2><a href=\"job?run=sample-run&amp;attempt=0\">sample-run</a></h2>") !=
      std::string::npos);
  CHECK(served.get("/job").starts_with(kOk));
  CHECK(served.get("/job.json?run=sample-run&attempt=0").starts_with(kOk));
  CHECK(served.get("/jobs").starts_with(kNotFound));
  CHECK(served.get("/job_json?run=sample-run&attempt=0").starts_with(kNotFound));
}

TEST_CASE("job.json has the data of the run and attempt in its address") {
  const ServedFolder served;
  const std::string answer = served.get("/job.json?run=sample-run&attempt=0");
  CHECK(answer.find("Content-Type: application/json\r\n") != std::string::npos);
  CHECK(nlohmann::json::parse(bodyOf(answer))["job"]["run_id"] == "sample-run");
  CHECK(served.get("/job.json").starts_with(kNotFound));
  CHECK(served.get("/job.json?run=sample-run&attempt=1").starts_with(kNotFound));
  CHECK(served.get("/job.json?run=x&attempt=0").starts_with(kNotFound));
}

TEST_CASE("a run of any name is found by its address") {
  const std::string name = "50% & <b>\"#?/\xc3\xa9 +";
  const ServedFolder served(name);
  const std::string address = jobAddress({name, 0});
  const std::string data = bodyOf(served.get("/job.json" + address.substr(address.find('?'))));
  CHECK(nlohmann::json::parse(data)["job"]["run_id"] == name);
}

TEST_CASE("the live page may connect only to this server; other pages may not connect") {
  const ServedFolder served;
  const std::string page = served.get("/job");
  CHECK(page.find("Content-Security-Policy: frame-ancestors 'none'\r\n") != std::string::npos);
  CHECK(page.find("connect-src 'self'\">") != std::string::npos);
  CHECK(page.find("id=\"report\">null</script>") != std::string::npos);
  CHECK(served.get("/").find("Content-Security-Policy: default-src 'none'") != std::string::npos);
}

} // namespace
} // namespace commtap
