// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "report/base/process.h"
#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
#include "tests/unit/programs.h"
#include "tools/tables/report_tables.h"

namespace commtap {
namespace {

struct ExportFolder : SampleFolder {
  Outcome run(Words arguments) const {
    arguments.insert(arguments.begin(), {"export", path()});
    return runCommtap(arguments);
  }
};

/// Runs `commtap export FROM --format ...` in `folder` with a terminal as its stdout and stderr. Returns what it
/// prints.
std::string exportOnTerminal(const std::string& from, const Words& options, const TempFolder& folder) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    std::string command = "cd " + folder.path() + " && exec " + COMMTAP_EXE + " export " + from;
    for (const std::string& option : options) {
      command += " " + option;
    }
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(125);
  }
  std::string text;
  std::array<char, 4096> some = {};
  for (ssize_t size = 0; (size = read(terminal, some.data(), some.size())) > 0;) {
    text.append(some.data(), static_cast<size_t>(size));
  }
  close(terminal);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return text;
}

TEST_CASE("export writes a file of each format's own name instead of flooding a terminal") {
  const ExportFolder folder;
  const std::string help = runCommtap({"export", "--help"}).out;
  const std::vector<std::pair<Words, std::string>> expected = {
      {{"openmetrics"}, "commtap.openmetrics"},
      {{"prometheus"}, "commtap.prom"},
      {{"csv"}, "commtap-collectives.csv"},
      {{"jsonl", "--table", "steps"}, "commtap-steps.jsonl"},
      {{"commdebug"}, "commtap.commdebug.json"},
      {{"perfetto"}, "commtap.trace.json"},
      {{"job"}, "commtap.job.json"}};
  for (const auto& [format, file] : expected) {
    CAPTURE(file);
    const TempFolder here;
    Words options = format;
    options.insert(options.begin(), "--format");
    CHECK(exportOnTerminal(folder.path(), options, here) == "commtap: wrote " + file + "\r\n");
    CHECK(has(help, file.substr(file.find('.')))); // with TABLE in place of a table's name
    REQUIRE(namesIn(here.path()) == Words{file});
    CHECK(readText(here / file) == folder.run(options).out);
  }
}

TEST_CASE("export writes to a terminal if -o - asks for it") {
  const ExportFolder folder;
  const TempFolder here;
  CHECK(exportOnTerminal(folder.path(), {"--format", "perfetto", "-o", "-"}, here).starts_with("{"));
  CHECK(exportOnTerminal(folder.path(), {"--format", "csv", "--all-tables", "tables"}, here).empty());
  CHECK(namesIn(here.path()) == Words{"tables"});
}

TEST_CASE("export writes every format from beginning to end") {
  const ExportFolder folder;
  const std::string open_metrics = folder.run({"--format", "openmetrics"}).out;
  CHECK(open_metrics.starts_with("# TYPE commtap_collectives counter\n"));
  CHECK(open_metrics.ends_with("# EOF\n"));
  CHECK(folder.run({"--format", "prometheus"}).out.starts_with("# TYPE commtap_collectives_total counter\n"));
  CHECK(folder.run({"--format", "csv"}).out.starts_with("run_id,attempt,rank,host,pid,module,"));
  CHECK(folder.run({"--format", "jsonl", "--table", "processes"}).out.starts_with("{\"run_id\":\"sample-run\""));
  CHECK(folder.run({"--format", "commdebug"}).out.starts_with("{\n    \"fqn\": \"Global\""));
}

TEST_CASE("export writes every table in one pass, each as it is written alone") {
  const ExportFolder folder;
  for (const std::string format : {"csv", "jsonl"}) {
    const TempFolder tables;
    const std::string into = tables / "new/tables";
    CHECK(folder.run({"--format", format, "--all-tables", into}).status() == 0);
    CHECK(namesIn(into).size() == kTableCount + 1);
    for (const TableRow& table : reportTables()) {
      CAPTURE(table.name);
      CHECK(
          readText(into + "/" + table.name + "." + format) ==
          folder.run({"--format", format, "--table", table.name}).out);
    }
  }
}

TEST_CASE("export names the file or folder that it cannot write") {
  const ExportFolder folder;
  const std::string report = folder.path() + "/" + namesIn(folder.path()).front();
  const Outcome outcome = folder.run({"--format", "csv", "--all-tables", report});
  CHECK(outcome.status() == 1);
  CHECK(outcome.err.starts_with("commtap: " + report + ": "));
}

TEST_CASE("export refuses an option that would have no effect") {
  const ExportFolder folder;
  const std::vector<Words> useless = {
      {"--format", "openmetrics", "--table", "steps"},
      {"--format", "perfetto", "--all-tables", "tables"},
      {"--format", "csv", "--depth", "2"},
      {"--format", "perfetto", "--max-series", "10"},
      {"--format", "job", "--rank", "0"},
      {"--format", "job", "--table", "steps"},
      {"--format", "csv", "--all-tables", "tables", "-o", "file"},
      {"--format", "csv", "--all-tables", "tables", "--table", "steps"}};
  for (const Words& arguments : useless) {
    const Outcome outcome = folder.run(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status() == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(arguments[2]) != std::string::npos);
  }
}

TEST_CASE("export writes the merged report of all ranks, which is exported again as it is, but in no other format") {
  const ExportFolder folder;
  const TempFolder merged;
  const std::string path = merged / "job.json";
  CHECK(folder.run({"--format", "job", "-o", path}).status() == 0);
  const std::string text = readText(path);
  REQUIRE(jobReportFromJson(text));
  CHECK(folder.run({"--format", "job"}).out == text);
  CHECK(runCommtap({"export", path, "--format", "job"}).out == text);
  CHECK(runCommtap({"export", path, "--format", "csv"}).status() == 2);
  CHECK(folder.run({"--format", "job", "-o", merged / "no/such"}).status() == 1);
}

TEST_CASE("export asks hosts for the merged report only") {
  const Outcome job = runCommtap({"export", "127.0.0.1:1", "--format", "job"});
  CHECK(job.status() == 1);
  CHECK(job.out.empty());
  CHECK(has(job.err, "no report was received"));
  CHECK(has(runCommtap({"export", "127.0.0.1:1", "--format", "csv"}).err, "hosts need --format job"));
}

TEST_CASE("export reads the ledger of a running process") {
  const TempFolder folder;
  const auto ledger = sampleLedger(2);
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  ledger->header().pid = static_cast<uint64_t>(getpid());
  ledger->header().pid_start_ticks = processStartTicks(ledger->header().pid).value();
  REQUIRE(ledger->publish(folder / "x.ledger"));
  const Outcome outcome = runCommtap({"export", folder.path(), "--format", "openmetrics"});
  CHECK(
      outcome.out.find("\ncommtap_process_running{run_id=\"sample-run\",attempt=\"0\",rank=\"2\"} 1\n") !=
      std::string::npos);
}

TEST_CASE("export selects ranks and hosts, and fails if none match") {
  const ExportFolder folder;
  CHECK(folder.run({"--format", "csv", "--rank", "3"}).out.find(",0,1,node1") == std::string::npos);
  CHECK(folder.run({"--format", "csv", "--host", "node1"}).status() == 0);
  for (const Words& nothing : {Words{"--host", "node2"}, {"--rank", "2"}, {"--attempt", "1"}, {"--run", "x"}}) {
    Words arguments = nothing;
    arguments.insert(arguments.end(), {"--format", "csv"});
    const Outcome outcome = folder.run(arguments);
    CHECK(outcome.status() == 2);
    CHECK(outcome.err.find("commtap: " + folder.path() + ": ") == 0);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

TEST_CASE("export reports on stderr that it folded series") {
  const ExportFolder folder;
  const Outcome outcome = folder.run({"--format", "openmetrics", "--max-series", "1"});
  CHECK(outcome.status() == 0);
  CHECK(outcome.err.find("commtap: 12 label sets exceed the limit of 1 per rank") == 0);
}

TEST_CASE("export writes the file despite an unreadable report, and exits with 1") {
  const ExportFolder folder;
  const TempFolder target;
  writeText(folder / "bad.json", "{");
  const Outcome outcome = folder.run({"--format", "prometheus", "-o", target / "x.prom"});
  CHECK(outcome.status() == 1);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("commtap: " + (folder / "bad.json")) == 0);
  CHECK(readText(target / "x.prom").ends_with("\ncommtap_unreadable_files 1\n"));
}

TEST_CASE("export counts each of many foreign files") {
  const ExportFolder folder;
  for (int i = 0; i < 9; ++i) {
    writeText(folder / ("note" + std::to_string(i) + ".json"), "{}");
  }
  CHECK(folder.run({"--format", "prometheus"}).out.ends_with("\ncommtap_unreadable_files 9\n"));
}

TEST_CASE("export names the sums that stopped at 2^64 - 1") {
  const TempFolder folder;
  Report report = sampleReport(0);
  report.collectives.at(0).count = UINT64_MAX - 1;
  report.collectives.push_back(report.collectives.at(0));
  report.collectives.back().reduce_op = "other"; // another row with the same labels
  writeText(folder / "rank-00000.json", reportToJson(report));
  for (const auto& [format, number] : std::vector<std::pair<std::string, std::string>>{
           {"openmetrics", "commtap_collectives_total"}, {"commdebug", "count"}, {"perfetto", "count"}}) {
    CAPTURE(format);
    const Outcome outcome = runCommtap({"export", folder.path(), "--format", format});
    CHECK(outcome.status() == 1);
    CHECK(has(outcome.err, "the sum of " + number + " is more than 18446744073709551615"));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("export reports that the output cannot be written") {
  const ExportFolder folder;
  const Outcome outcome = folder.run({"--format", "csv", "-o", folder / "none/x"});
  CHECK(outcome.status() == 1);
  CHECK(outcome.err.find("commtap: cannot create a temporary file for ") == 0);
}

TEST_CASE("export reports wrong usage in one line and exits with 2") {
  for (const Words& arguments :
       {Words{"export", "x"},
        {"export", "x", "--format", "xml"},
        {"export", "/no/such", "--format", "csv"},
        {"export", "x", "--format", "csv", "--table", "x"},
        {"export", "x", "--format", "csv", "--max-series", "0"}}) {
    const Outcome outcome = runCommtap(arguments);
    CHECK(outcome.status() == 2);
    CHECK(outcome.err.find("commtap: ") == 0);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

} // namespace
} // namespace commtap
