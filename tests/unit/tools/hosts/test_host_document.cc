// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/host_document.h"

#include <doctest/doctest.h>

#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

HostDocument sampleDocument() {
  const auto first = std::make_shared<Report>(sampleReport(0));
  const auto second = std::make_shared<Report>(sampleReport(1));
  HostDocument document;
  document.host = "node1";
  document.look.at_ns = 42;
  document.look.problems = {"a file \xff"};
  document.look.processes = {seenProcess(first, ProcessSample{'D', 7}), seenProcess(second, std::nullopt)};
  const std::vector<std::shared_ptr<const Report>> reports = {first, second};
  document.traffic = trafficOf(reports);
  return document;
}

Result<HostDocument> readBack(const HostDocument& document, const HostQuestion& question) {
  FastReportReader reader;
  return hostDocumentFrom(hostText(document, question), reader);
}

TEST_CASE("a host reports its processes and what a verdict needs of them") {
  const HostDocument told = sampleDocument();
  const Result<HostDocument> read = readBack(told, {});
  REQUIRE(read);
  CHECK(read->host == "node1");
  CHECK(read->look.at_ns == 42);
  CHECK(read->look.problems.size() == 1);
  CHECK(read->traffic == Traffic());
  REQUIRE(read->look.processes.size() == 2);
  const SeenProcess& process = read->look.processes[0];
  REQUIRE(process.sample);
  CHECK(process.sample->state == 'D');
  CHECK(process.sample->cpu_ticks == 7);
  CHECK_FALSE(read->look.processes[1].sample);
  CHECK(process.progress == told.look.processes[0].progress);
  const Report& whole = *told.look.processes[0].report;
  REQUIRE(process.report->last.size() == whole.last.size());
  CHECK(process.report->last.back().module == whole.last.back().module);
  CHECK(process.report->last.back().number == whole.last.back().number);
  CHECK(process.report->groups.size() == whole.groups.size());
  CHECK(process.report->groups[0].collectives == whole.groups[0].collectives);
  CHECK(process.report->collectives.empty());
  CHECK(process.report->job.rank == 0);
}

TEST_CASE("a question is answered within its bounds") {
  const HostDocument told = sampleDocument();
  HostQuestion question;
  question.last = 1;
  question.traffic = true;
  question.rows_of = {1};
  const Result<HostDocument> read = readBack(told, question);
  REQUIRE(read);
  CHECK(read->traffic == told.traffic);
  for (const SeenProcess& process : read->look.processes) {
    REQUIRE(process.report->last.size() == 1);
    CHECK(process.report->last[0].number == told.look.processes[0].report->last.back().number);
  }
  CHECK(read->look.processes[0].report->collectives.empty());
  CHECK(read->look.processes[1].report->collectives.size() == sampleReport(1).collectives.size());
}

TEST_CASE("a question is its address") {
  HostQuestion question;
  CHECK(addressOf(question) == "/host?last=64");
  question.rows_of = {3, 17};
  question.traffic = true;
  question.last = 5;
  CHECK(addressOf(question) == "/host?last=5&traffic=1&rows=3,17");
  const HostQuestion read = questionFrom({{"last", "5"}, {"traffic", "1"}, {"rows", "3,17"}});
  CHECK(read.last == 5);
  CHECK(read.traffic);
  CHECK(read.rows_of == std::vector<int64_t>{3, 17});
  CHECK(questionFrom({{"last", "99999999"}}).last == HostQuestion::kMostLast);
  CHECK(questionFrom({{"last", "-1"}, {"rows", "x,-3,,5"}}).last == 64);
  CHECK(questionFrom({{"rows", "x,-3,,5"}}).rows_of == std::vector<int64_t>{5});
}

TEST_CASE("of very many problems the first are read, and the rest is counted") {
  FastReportReader reader;
  HostDocument told = sampleDocument();
  told.look.problems.assign(5000, "a problem");
  const Result<HostDocument> read = hostDocumentFrom(hostText(told, {}), reader);
  REQUIRE(read);
  REQUIRE(read->look.problems.size() == 101);
  CHECK(read->look.problems.back() == "and 4900 more problems");
}

TEST_CASE("an answer that is none is refused") {
  FastReportReader reader;
  CHECK(has(hostDocumentFrom("<html></html>", reader).error(), "another version of commtap"));
  CHECK(has(hostDocumentFrom("{\"schema\":\"commtap.host/9\"}", reader).error(), "another version"));
  const std::string text = hostText(sampleDocument(), {});
  for (size_t size = 1; size < text.size() - 2; size += 97) {
    CAPTURE(size);
    const Result<HostDocument> cut = hostDocumentFrom(text.substr(0, size), reader);
    CHECK((!cut || cut->look.processes.size() < 2));
  }
}

} // namespace
} // namespace commtap
