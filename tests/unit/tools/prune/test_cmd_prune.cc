// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "report/json/report_json.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

/// A folder with a run that ended long ago and one of today.
class OldAndNew {
 public:
  OldAndNew() {
    put("old.json", "old", 100);
    put("new.json", "new", 0);
    writeText(folder / "notes.json", "{\"mine\": 1}");
    writeText(folder / "notes.txt", "mine");
  }
  void put(const std::string& name, const std::string& run, int days_ago) const {
    Report report = sampleReport(0);
    report.job.run_id = run;
    report.job.ended_at_ns = report.job.started_at_ns = 1;
    writeText(folder / name, reportToJson(report));
    std::filesystem::last_write_time(
        folder / name, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * days_ago));
  }
  std::vector<std::string> names() const {
    return namesIn(folder.path());
  }

  TempFolder folder;
};

using Names = std::vector<std::string>;

TEST_CASE_FIXTURE(OldAndNew, "prune removes the reports of old runs and nothing else") {
  const Outcome dry = runCommtap({"prune", "--keep", "30d", "--dry-run", folder.path()});
  CHECK(dry.out.starts_with("would remove old  1 file  "));
  CHECK(names() == Names{"new.json", "notes.json", "notes.txt", "old.json"});
  const Outcome outcome = runCommtap({"prune", "--keep", "30d", folder.path()});
  CHECK(outcome.out.starts_with("removed old  1 file  "));
  CHECK(has(outcome.err, "1 run is left"));
  CHECK(outcome.status() == 0);
  CHECK(names() == Names{"new.json", "notes.json", "notes.txt"});
}

TEST_CASE_FIXTURE(OldAndNew, "prune --json has the runs that go, and those that stay") {
  const auto prune = [this](const char* option) {
    return nlohmann::json::parse(runCommtap({"prune", "--keep", "30d", "--json", option, folder.path()}).out);
  };
  const nlohmann::json dry = prune("--dry-run");
  CHECK(dry["schema"] == "commtap.prune/1");
  CHECK(dry["dry_run"] == true);
  CHECK(names().size() == 4);
  const nlohmann::json document = prune("--max-size=1TiB");
  CHECK(document["dry_run"] == false);
  CHECK(document["removed"] == dry["removed"]);
  CHECK(document["removed"][0]["run_id"] == "old");
  CHECK(document["removed"][0]["files"] == 1);
  CHECK(document["kept"]["runs"] == 1);
  REQUIRE(document["problems"].size() == 1);
  CHECK(has(document["problems"][0].get<std::string>(), "notes.json"));
  CHECK(names() == Names{"new.json", "notes.json", "notes.txt"});
}

TEST_CASE_FIXTURE(OldAndNew, "a size that cannot be reached is a finding") {
  const Outcome outcome = runCommtap({"prune", "--max-size", "1B", folder.path()});
  CHECK(outcome.out.starts_with("removed old"));
  CHECK(has(outcome.err, "runs that changed within the hour stay: new\n"));
  CHECK(has(outcome.err, "--max-size 1 B is not reached\n"));
  CHECK(outcome.status() == 1);
  CHECK(names() == Names{"new.json", "notes.json", "notes.txt"});
}

TEST_CASE_FIXTURE(OldAndNew, "the run of a ledger stays and is named") {
  const auto ledger = sampleLedger(1);
  ledger->header().started_at_ns = ledger->header().ended_at_ns = 1;
  REQUIRE(ledger->publish(folder / "x.ledger"));
  put("rank.json", "sample-run", 200);
  std::filesystem::last_write_time(
      folder / "x.ledger", std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 200));
  const Outcome outcome = runCommtap({"prune", "--max-size", "1B", folder.path()});
  CHECK(has(outcome.err, "runs with ledgers stay: sample-run: "));
  CHECK(std::filesystem::exists(folder / "x.ledger"));
  CHECK(std::filesystem::exists(folder / "rank.json"));
}

TEST_CASE_FIXTURE(
    OldAndNew,
    "if a ledger cannot be read, no run of its owner is removed, and the exit status says so") {
  writeText(folder / "x.ledger", "");
  const Outcome outcome = runCommtap({"prune", "--keep", "30d", folder.path()});
  CHECK(outcome.out.empty());
  CHECK(has(outcome.err, folder / "x.ledger stays: it is empty, so its run is not known"));
  CHECK(has(outcome.err, "runs to which a ledger that cannot be read may belong stay: old: "));
  CHECK(has(outcome.err, "2 runs are left"));
  CHECK(outcome.status() == 1);
  CHECK(std::filesystem::exists(folder / "old.json"));
}

TEST_CASE_FIXTURE(OldAndNew, "a report with notes behind it stays, is named and is in no number") {
  put("old-2.json", "old", 100);
  const std::filesystem::file_time_type time = std::filesystem::last_write_time(folder / "old.json");
  writeText(folder / "old.json", readText(folder / "old.json") + "my notes");
  std::filesystem::last_write_time(folder / "old.json", time);
  for (const bool is_dry_run : {true, false}) {
    Words words = {"prune", "--keep", "30d", folder.path()};
    if (is_dry_run) {
      words.emplace_back("--dry-run");
    }
    const Outcome outcome = runCommtap(words);
    CHECK(outcome.out.starts_with(is_dry_run ? "would remove old  1 of 2 files  " : "removed old  1 of 2 files  "));
    CHECK(has(outcome.err, folder / "old.json stays: no JSON document"));
    CHECK(has(outcome.err, "2 runs are left"));
    CHECK(outcome.status() == 1);
  }
  CHECK(names() == Names{"new.json", "notes.json", "notes.txt", "old.json"});
}

TEST_CASE_FIXTURE(OldAndNew, "without a rule, with a wrong one and without the folder nothing is removed") {
  CHECK(has(runCommtap({"prune", folder.path()}).err, "say what to keep"));
  CHECK(runCommtap({"prune", "--keep", "old", folder.path()}).status() == 2);
  CHECK(runCommtap({"prune", "--keep", "1d", folder / "none"}).status() == 2);
  CHECK(runCommtap({"prune", "--keep", "1d", folder / "old.json"}).status() == 2);
  CHECK(names().size() == 4);
}

} // namespace
} // namespace commtap
