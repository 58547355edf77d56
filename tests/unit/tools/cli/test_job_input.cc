// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/job_input.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/programs.h"
#include "tools/cli/run_note.h"

namespace commtap {
namespace {

TEST_CASE("a run or attempt that does not exist is wrong usage for each command") {
  const SampleFolder folder;
  for (const Words& verb :
       {Words{"show", "--ranks"},
        {"show"},
        {"html", "-o", "-"},
        {"export", "--format", "job"},
        {"export", "--format", "csv"}}) {
    for (const Words& selection : {Words{"--run", "none"}, {"--attempt", "7"}}) {
      Words arguments = verb;
      arguments.push_back(folder.path());
      arguments.insert(arguments.end(), selection.begin(), selection.end());
      const Outcome outcome = runCommtap(arguments);
      CHECK(outcome.status() == 2);
      CHECK(outcome.out.empty());
      CHECK(has(outcome.err, "there is no report of "));
    }
  }
}

TEST_CASE("a run that failed without a report is named if it is the newest, or the selected one") {
  const SampleFolder folder;
  const RunNote later{.run_id = "later", .started_at_ns = UINT64_MAX / 2, .exit_status = 3};
  REQUIRE(writeRunNote(folder.path(), later).empty());
  for (const char* verb : {"check", "show", "advise"}) {
    const Outcome outcome = runCommtap({verb, folder.path()});
    CHECK(has(outcome.err, "this is not of the newest run: run later, started "));
    CHECK_FALSE(has(runCommtap({verb, folder.path(), "--run", "sample-run"}).err, "newest run"));
  }
  const Outcome selected = runCommtap({"check", folder.path(), "--run", "later"});
  CHECK(selected.status() == 2);
  CHECK(has(selected.err, "ended with status 3 and left no report"));
}

TEST_CASE("of several runs, each command says which it reads and that others are left out, unless one is selected") {
  const SampleFolder folder;
  Report older = sampleReport(0);
  older.job.run_id = "older";
  older.job.started_at_ns -= 1;
  writeText(folder / "older.json", reportToJson(older));
  for (const char* verb : {"check", "advise"}) {
    Words words = {verb, folder.path()};
    CHECK(
        has(runCommtap(words).err, "commtap: run sample-run is read, 1 other run left out (commtap list, --run ID)\n"));
    words.insert(words.end(), {"--run", "older"});
    CHECK_FALSE(has(runCommtap(words).err, "left out"));
  }
}

TEST_CASE("processes that loaded torch without commtap are not seen, and fail the check") {
  const SampleFolder folder;
  RunNote note{.run_id = "another", .exit_status = 0, .has_report = true, .missed = 2, .first_missed = "pid 7, a.py"};
  REQUIRE(writeRunNote(folder.path(), note).empty());
  CHECK_FALSE(has(runCommtap({"check", folder.path()}).out, "not_preloaded"));
  note.run_id = "sample-run";
  REQUIRE(writeRunNote(folder.path(), note).empty());
  for (const char* verb : {"check", "show"}) {
    const Outcome outcome = runCommtap({verb, folder.path()});
    CHECK(has(outcome.out, "2 not_preloaded: processes that loaded torch without commtap"));
    CHECK_FALSE(has(outcome.err, "newest run"));
  }
  CHECK(has(runCommtap({"show", folder.path()}).out, "; first: pid 7, a.py"));
  CHECK(runCommtap({"check", folder.path()}).status() == 1);
}

TEST_CASE("a merged report of another run is wrong usage") {
  const TempFolder folder;
  const std::string job = folder / "job.json";
  writeText(job, jobReportToJson(sampleJob()));
  CHECK(runCommtap({"show", "--ranks", job, "--run", "sample-run", "--attempt", "0"}).status() == 0);
  const Outcome other = runCommtap({"show", "--ranks", job, "--run", "other"});
  CHECK(other.status() == 2);
  CHECK(has(other.err, "job.json holds run \"sample-run\", attempt 0, and no other"));
}

TEST_CASE("export says which commands read a merged report") {
  const TempFolder folder;
  const std::string job = folder / "job.json";
  writeText(job, jobReportToJson(sampleJob()));
  const Outcome outcome = runCommtap({"export", job, "--format", "csv"});
  CHECK(outcome.status() == 2);
  CHECK(has(outcome.err, "job.json is a merged report, which commtap show, diff, check and html read: "));
}

TEST_CASE("the files of export and html have the permissions of the umask, and html has a default name") {
  const SampleFolder folder;
  const auto mode_of = [&folder](const char* name) {
    struct stat info {};
    REQUIRE(stat((folder / name).c_str(), &info) == 0);
    return info.st_mode & 0777;
  };
  const std::string in_folder = "cd " + folder.path() + " && umask 027 && ";
  const std::string exe = COMMTAP_EXE;
  runProgram({"/bin/sh", "-c", in_folder + exe + " export . --format job -o job.json"});
  runProgram({"/bin/sh", "-c", in_folder + exe + " html ."});
  CHECK(mode_of("job.json") == 0640);
  CHECK(mode_of("commtap.html") == 0640);
}

} // namespace
} // namespace commtap
