// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "report/json/report_json.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

class HtmlFolder : public TempFolder {
 public:
  HtmlFolder() {
    for (const int64_t rank : {0, 1}) {
      writeText(*this / ("rank-0000" + std::to_string(rank) + ".json"), reportToJson(sampleReport(rank)));
    }
  }
};

TEST_CASE("html writes one file and prints one line") {
  const HtmlFolder folder;
  const TempFolder out;
  const Outcome outcome = runCommtap({"html", folder.path(), "-o", out / "report.html"});
  CHECK(outcome.status() == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.starts_with((out / "report.html") + ": 2 processes, 4 modules, 1."));
  CHECK(namesIn(out.path()) == std::vector<std::string>{"report.html"});
  const std::string page = readText(out / "report.html");
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.find("sample-run") != std::string::npos);
}

TEST_CASE("html reads reports and ledgers and can write to stdout") {
  const HtmlFolder folder;
  const auto ledger = sampleLedger(2);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  const Outcome whole = runCommtap({"html", folder.path(), "-o", "-"});
  CHECK(whole.status() == 0);
  CHECK(whole.out.find("\"ranks\":[[0,2]]") != std::string::npos);
  const Outcome one = runCommtap({"html", folder / "rank-00001.json", "--output=-"});
  CHECK(one.out.find("\"ranks\":[[1,1]]") != std::string::npos);
}

TEST_CASE("html says why a run ended badly, and begins with sums for --total") {
  const TempFolder folder;
  for (const int64_t rank : {0, 1}) {
    Report report = sampleReport(rank);
    report.job.world_size = 2;
    report.job.exit = ExitKind::kNormal;
    report.job.exit_status = 3 * rank;
    writeText(folder / ("rank-0000" + std::to_string(rank) + ".json"), reportToJson(report));
  }
  const Outcome outcome = runCommtap({"html", folder.path(), "--total", "-o", "-"});
  CHECK(outcome.out.find("\"why\":\"why: ") != std::string::npos);
  CHECK(outcome.out.find("\"total\":true") != std::string::npos);
}

TEST_CASE("html names unreadable files on stderr and on the page, and exits with 1") {
  const HtmlFolder folder;
  writeText(folder / "bad.json", "{");
  const Outcome outcome = runCommtap({"html", folder.path(), "-o", "-"});
  CHECK(outcome.status() == 1);
  CHECK(outcome.err.starts_with("commtap: " + (folder / "bad.json")));
  CHECK(outcome.out.find("\"problems\":[\"" + (folder / "bad.json")) != std::string::npos);
}

TEST_CASE("html reports missing input or an unwritable output in one line") {
  const HtmlFolder folder;
  const TempFolder empty;
  CHECK(runCommtap({"html", empty.path(), "-o", empty / "x.html"}).status() == 1);
  CHECK(runCommtap({"html", empty / "none", "-o", empty / "x.html"}).status() == 2);
  const Outcome outcome = runCommtap({"html", folder.path(), "-o", empty / "none/x.html"});
  CHECK(outcome.status() == 1);
  CHECK(outcome.err.find("none/x.html: No such file or directory\n") != std::string::npos);
  CHECK(namesIn(empty.path()).empty());
}

TEST_CASE("html compares two paths") {
  const HtmlFolder before;
  const HtmlFolder after;
  const Words words = {"html", before.path(), after.path()};
  const auto with = [&](const Words& more) {
    Words all = words;
    all.insert(all.end(), more.begin(), more.end());
    return runCommtap(all);
  };
  const Outcome outcome = with({"-o", after / "diff.html"});
  CHECK(outcome.status() == 0);
  CHECK(outcome.out.starts_with(
      (after / "diff.html") + ": before 2 processes, 4 modules, after 2 processes, 4 modules, 1."));
  CHECK(readText(after / "diff.html").find("\"changes\":{") != std::string::npos);
  CHECK(with({"-o", "-", "--run", "sample-run"}).status() == 0);
  CHECK(with({"-o", "-", "--run", "other"}).status() == 2);
  CHECK(with({"-o", "-", "--tolerance", "bytes=5%"}).status() == 0);
  CHECK(with({"-o", "-", "--tolerance", "bytes=x"}).status() == 2);
  writeText(after / "bad.json", "{");
  CHECK(with({"-o", "-"}).status() == 1);
}

TEST_CASE("html reports wrong usage in one line and exits with 2") {
  for (const Words& arguments :
       {Words{"html"},
        {"html", "x"},
        {"html", "x", "-o"},
        {"html", "x", "y", "z"},
        {"html", "x", "--tolerance", "bytes=5%"}}) {
    const Outcome outcome = runCommtap(arguments);
    CHECK(outcome.status() == 2);
    CHECK(outcome.err.starts_with("commtap: "));
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

} // namespace
} // namespace commtap
