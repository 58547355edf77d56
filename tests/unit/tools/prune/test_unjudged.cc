// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/unjudged.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "report/base/file_descriptor.h"
#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// A folder with a report.
class OneReport {
 public:
  OneReport() {
    writeText(folder / "rank.json", reportToJson(sampleReport(0)));
  }
  ReportScan scan() const {
    return *scanReports(folder.path(), nullptr, Copies::kKeep);
  }
  /// Returns what cannot be judged, below the folder, with "?" behind what may be a ledger.
  std::vector<std::string> unjudged(ReportScan scan) const {
    std::vector<std::string> names;
    for (const UnjudgedFile& file : findUnjudged(folder.path(), scan)) {
      names.push_back(fs::path(file.path).lexically_relative(folder.path()).string() + (file.may_be_ledger ? "?" : ""));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::vector<std::string> unjudged() const {
    return unjudged(scan());
  }

  TempFolder folder;
};

using Names = std::vector<std::string>;

TEST_CASE_FIXTURE(OneReport, "reports, ledgers, commtap's other documents and other programs' files are judged") {
  REQUIRE(sampleLedger(1)->publish(folder / "x.ledger"));
  writeText(folder / "job.json", R"({"schema": "commtap-job/2"})");
  writeText(folder / "notes.json", "{}");
  writeText(folder / "notes.txt", "mine");
  fs::create_directory(folder / "y.ledger");
  fs::create_symlink("nowhere", folder / "link.json");
  CHECK(unjudged().empty());
}

TEST_CASE_FIXTURE(OneReport, "a ledger that cannot be read may be any run's, whatever it is") {
  fs::create_directory(folder / "a");
  writeText(folder / "a/empty.ledger", "");
  writeText(folder / "a/text.ledger", "notes");
  REQUIRE(mkfifo((folder / "pipe.ledger").c_str(), 0600) == 0);
  fs::create_symlink("nowhere", folder / "link.ledger");
  REQUIRE(sampleLedger(1)->publish(folder / "later.ledger"));
  const FileDescriptor later(open((folder / "later.ledger").c_str(), O_WRONLY | O_CLOEXEC));
  const uint32_t version = kLedgerVersion + 1;
  REQUIRE(pwrite(later.get(), &version, sizeof(version), offsetof(LedgerHeader, version)) == sizeof(version));
  CHECK(unjudged() == Names{"a/empty.ledger?", "a/text.ledger?", "later.ledger?", "link.ledger?", "pipe.ledger?"});
}

TEST_CASE_FIXTURE(OneReport, "a report of a later version is no ledger, and cannot be judged") {
  writeText(folder / "later.json", R"({"schema": "commtap/9", "job": {}})");
  CHECK(unjudged() == Names{"later.json"});
}

TEST_CASE_FIXTURE(OneReport, "a folder that cannot be listed may hold a ledger, and a file may not be readable") {
  constexpr uid_t kNobody = 65534;
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::none);
  REQUIRE(sampleLedger(1)->publish(folder / "closed.ledger")); // 0600
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(folder / "rank.json", fs::perms(0644));
  const uid_t user = geteuid();
  if (user == 0) { // root can list and read everything
    REQUIRE(seteuid(kNobody) == 0);
  } else {
    fs::permissions(folder / "closed.ledger", fs::perms::none);
  }
  const Names names = unjudged();
  REQUIRE(seteuid(user) == 0);
  CHECK(names == Names{"closed.ledger?", "closed?"});
  fs::permissions(folder / "closed", fs::perms::owner_all);
}

TEST_CASE_FIXTURE(OneReport, "what came after the scan is added to it") {
  ReportScan before = scan();
  writeText(folder / "late.json", reportToJson(sampleReport(1)));
  REQUIRE(sampleLedger(2)->publish(folder / "late.ledger"));
  CHECK(findUnjudged(folder.path(), before).empty());
  REQUIRE(before.reports.size() == 3);
  CHECK(before.reports[1].is_ledger != before.reports[2].is_ledger);
}

TEST_CASE("a ledger that cannot be read is of any run of its owner, and of no other user's") {
  std::vector<StoredRun> runs(2);
  runs[0].owners = {7};
  runs[1].owners = {8};
  std::vector<UnjudgedFile> unjudged = {
      {.path = "a.ledger", .owner = 7, .may_be_ledger = true},
      {.path = "b.json", .owner = 8},
      {.path = "c.ledger", .owner = 9, .may_be_ledger = true}};
  markUndecided(unjudged, runs);
  CHECK(runs[0].may_have_a_ledger);
  CHECK_FALSE(runs[1].may_have_a_ledger);
  REQUIRE(unjudged.size() == 2);
  CHECK(unjudged[1].path == "b.json");
}

} // namespace
} // namespace commtap
