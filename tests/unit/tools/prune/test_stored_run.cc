// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/stored_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>

#include <doctest/doctest.h>

#include "report/base/file_descriptor.h"
#include "report/json/report_json.h"
#include "report/samples/samples_writer.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the files of a run are its reports and ledgers, with their copies") {
  const TempFolder folder;
  Report report = sampleReport(0);
  writeText(folder / "a.json", reportToJson(report));
  writeText(folder / "copy.json", reportToJson(report));
  report.job.run_id = "other";
  report.job.ended_at_ns = 9'000'000'000'000'000'000U;
  writeText(folder / "b.json", reportToJson(report));
  REQUIRE(sampleLedger(1)->publish(folder / "x.ledger"));
  const Result<ReportScan> scan = scanReports(folder.path(), nullptr, Copies::kKeep);
  REQUIRE(scan);
  const std::vector<StoredRun> runs = storedRuns(storedFiles(*scan));
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].run_id == report.job.run_id.replace(0, std::string::npos, "sample-run"));
  CHECK(runs[0].files.size() == 3);
  CHECK(runs[0].has_ledger);
  CHECK(runs[0].bytes == runs[0].files[0].bytes + runs[0].files[1].bytes + runs[0].files[2].bytes);
  CHECK(runs[0].bytes > 0);
  CHECK(runs[1].run_id == "other");
  CHECK_FALSE(runs[1].has_ledger);
  CHECK(runs[1].changed_at_ns == 9'000'000'000'000'000'000U);
}

TEST_CASE("a file's own time counts if it is later than the end of its process") {
  const TempFolder folder;
  Report report = sampleReport(0);
  report.job.ended_at_ns = 5;
  writeText(folder / "a.json", reportToJson(report));
  const std::filesystem::path path = folder / "a.json";
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now());
  const std::vector<StoredFile> files = storedFiles(*scanReports(folder.path(), nullptr, Copies::kKeep));
  REQUIRE(files.size() == 1);
  CHECK(files[0].changed_at_ns > 1'700'000'000'000'000'000U);
}

TEST_CASE("a file that is gone is left out") {
  const TempFolder folder;
  writeText(folder / "a.json", reportToJson(sampleReport(0)));
  const Result<ReportScan> scan = scanReports(folder.path(), nullptr, Copies::kKeep);
  std::filesystem::remove(folder / "a.json");
  CHECK(storedFiles(*scan).empty());
}

TEST_CASE("samples belong to the run that they name, and are removed with it") {
  const TempFolder folder;
  Job job = sampleReport(0).job;
  job.run_id = "old";
  SamplesWriter writer;
  REQUIRE(writer.create(folder / "rank-00000", ".samples", job).empty());
  REQUIRE(writer.append({}, Sample()).empty());
  writeText(folder / "notes.samples", "mine");
  std::vector<std::string> problems;
  std::vector<StoredFile> files = storedSamples(folder.path(), problems, ", and stays");
  REQUIRE(files.size() == 1);
  CHECK(files[0].run_id == "old");
  CHECK(files[0].path == writer.path());
  CHECK(files[0].changed_at_ns > 0);
  REQUIRE(problems.size() == 1);
  CHECK(has(problems[0], "notes.samples: this is not a file of samples, and stays"));

  const StoredRun run = storedRuns(std::move(files)).at(0);
  StoredRun other = run;
  other.run_id = "new";
  CHECK(removeRun(other, folder.path(), false).files == 0);
  CHECK(removeRun(run, folder.path(), false).files == 1);
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"notes.samples"});
}

TEST_CASE("samples that are damaged after the first one stay, with the reason") {
  const TempFolder folder;
  SamplesWriter writer;
  REQUIRE(writer.create(folder / "rank-00000", ".samples", sampleReport(0).job).empty());
  REQUIRE(writer.append({}, Sample()).empty());
  REQUIRE(writer.append({}, Sample()).empty());
  std::string bytes = readText(writer.path());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  writeText(writer.path(), bytes);
  std::vector<std::string> problems;
  const StoredRun run = storedRuns(storedSamples(folder.path(), problems, "")).at(0);
  CHECK(problems.empty());
  const Removal removal = removeRun(run, folder.path(), false);
  CHECK(removal.files == 0);
  REQUIRE(removal.problems.size() == 1);
  CHECK(has(removal.problems[0], "rank-00000.samples stays: it: block 2 of the samples is damaged"));
  CHECK(namesIn(folder.path()).size() == 1);
}

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
