// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/hosts_view.h"

#include <atomic>
#include <vector>

#include <doctest/doctest.h>

#include "report/base/process.h"
#include "tests/unit/raw_server.h"
#include "tests/unit/running_server.h"
#include "tests/unit/samples.h"
#include "tools/hosts/report_archive.h"

namespace commtap {
namespace {

std::string read(HostsBudget& budget, const RawServer& server, std::string& text) {
  return budget.read({server.address(), "/", ""}, {}, [&text](std::string_view piece) {
    text += piece;
    return std::string();
  });
}

TEST_CASE("hosts share the bytes and the time") {
  const RawServer server("HTTP/1.1 200 OK\r\n\r\n" + std::string(600'000, 'x'));
  HostsBudget budget(std::chrono::seconds(60), 1U << 20U);
  std::string text;
  CHECK(read(budget, server, text).empty());
  CHECK(text.size() == 600'000);
  CHECK(read(budget, server, text) == "all hosts together answer with more than 1 MiB");
  HostsBudget late(std::chrono::seconds(0), 1U << 20U);
  CHECK(read(late, server, text) == "not asked, for all hosts together took 0 s");
}

TEST_CASE("each index is worked on once, and each thread has a state of its own") {
  struct State {
    int calls = 0;
  };
  std::vector<int> seen(1000);
  std::atomic<int> most = 0;
  forEachHost<State>(seen.size(), [&](State& state, size_t index) {
    ++seen[index];
    const int calls = ++state.calls;
    int before = most;
    while (before < calls && !most.compare_exchange_weak(before, calls)) {
    }
  });
  CHECK(seen == std::vector<int>(1000, 1));
  CHECK(most >= 1000 / 64);
  forEachHost<State>(0, [](State&, size_t) { FAIL("there is no host"); });
}

/// A server that answers for the sample job's rank `rank`.
void addPaths(HttpServer& server, int64_t rank) {
  const std::vector<std::shared_ptr<const Report>> reports = {std::make_shared<Report>(sampleReport(rank))};
  server.get(kHostPath, [reports](const HttpRequest& request) {
    HostDocument document{"node", lookOf(reports, 1), trafficOf(reports)};
    return HttpAnswer{"application/x-ndjson", hostText(document, questionFrom(request.parameters))};
  });
  server.get(kArchivePath, [reports](const HttpRequest&) {
    return HttpAnswer{"application/octet-stream", archiveOf(reports)};
  });
}

class TwoHosts {
 public:
  HostPort first() const {
    return {"127.0.0.1", first_.address().port};
  }
  HostPort second() const {
    return {"127.0.0.1", second_.address().port};
  }

 private:
  RunningServer first_{[](HttpServer& server) { addPaths(server, 0); }};
  RunningServer second_{[](HttpServer& server) { addPaths(server, 1); }};
};

TEST_CASE("a view has the processes of all hosts") {
  const TwoHosts hosts;
  HostsView view({hosts.first(), hosts.second(), hosts.first()}, "");
  HostQuestion question;
  question.traffic = true;
  const HostsView::Seen seen = view.ask(question);
  CHECK(seen.look.problems.empty());
  CHECK(seen.look.has_all_hosts);
  REQUIRE(seen.look.processes.size() == 2);
  CHECK(seen.look.processes[0].report->job.rank == 0);
  CHECK(seen.look.processes[1].report->job.rank == 1);
  CHECK(seen.traffic.by_kind.at({"sample-run", "all_reduce"}).count >= 2);
}

TEST_CASE("a host that does not answer is named, and the others are there") {
  const TwoHosts hosts;
  HostsView view({hosts.first(), {"127.0.0.1", 1}}, "");
  const HostsView::Seen seen = view.ask({});
  CHECK(seen.look.processes.size() == 1);
  CHECK_FALSE(seen.look.has_all_hosts);
  REQUIRE(seen.look.problems.size() == 1);
  CHECK(seen.look.problems[0] == "127.0.0.1:1: no connection: Connection refused; its ranks are missing here");
}

TEST_CASE("rows are asked for where they are wanted") {
  const TwoHosts hosts;
  HostsView view({hosts.first(), hosts.second()}, "");
  JobLook look = view.ask({}).look;
  CHECK_FALSE(view.addRows({5}, look));
  CHECK(view.addRows({1, 5}, look));
  CHECK(look.processes[0].report->collectives.empty());
  CHECK(look.processes[1].report->collectives.size() == sampleReport(1).collectives.size());
  CHECK_FALSE(look.processes[1].report->last.empty());
}

TEST_CASE("complete reports come as files") {
  const TwoHosts hosts;
  const TempFolder folder;
  const HostsView view({hosts.first(), hosts.second(), {"127.0.0.1", 1}}, "");
  CHECK(view.download(folder.path()).size() == 1);
  CHECK(namesIn(folder.path()).size() == 2);
}

} // namespace

} // namespace commtap
