// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "report/json/report_json.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("a folder is shown on stdout, without colour in a file") {
  const SampleFolder folder;
  const Outcome outcome = runCommtap({"show", folder.path()});
  CHECK(outcome.status() == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("\n3 of 4 ranks: 0-1, 3\nno report of rank 2\n") != std::string::npos);
  CHECK(outcome.out.find("\nPer rank and step: ") != std::string::npos);
  CHECK(outcome.out.find('\x1b') == std::string::npos);
  const std::string tree = runCommtap({"show", "--tree", folder.path()}).out;
  CHECK(tree.find("\nsum over 3 of 4 ranks: 0-1, 3\nno report of rank 2\n") != std::string::npos);
  CHECK(tree.find("\nBy module (") != std::string::npos);
}

TEST_CASE("one report and one ledger are shown as one process") {
  const SampleFolder folder;
  const auto ledger = sampleLedger(2);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  CHECK(runCommtap({"show", folder / "rank-00001.json"}).out.find("\nrank 1 of 4\n") != std::string::npos);
  CHECK(runCommtap({"show", folder / "x.ledger"}).out.find("\nrank 2 of 4\n") != std::string::npos);
  CHECK(runCommtap({"show", folder.path(), "--rank", "2"}).out.find("\nrank 2 of 4\n") != std::string::npos);
}

TEST_CASE("formats and filters") {
  const SampleFolder folder;
  CHECK(runCommtap({"show", "--json", folder.path()}).out.starts_with("{\"schema\":\"commtap.show/1\","));
  CHECK(runCommtap({"show", folder.path(), "--phase", "backward"}).out.find("all_gather") == std::string::npos);
  CHECK(runCommtap({"show", folder.path(), "--depth", "0"}).out.find("net1") == std::string::npos);
}

TEST_CASE("--last takes a number, or shows the last ten") {
  const SampleFolder folder;
  const auto rows_of = [&folder](const Words& options) {
    Words arguments = {"show", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(folder.path());
    const Outcome outcome = runCommtap(arguments);
    CHECK(outcome.status() == 0);
    return static_cast<std::ptrdiff_t>(nlohmann::json::parse(outcome.out)["last"].size());
  };
  const auto last = static_cast<std::ptrdiff_t>(sampleReport(0).last.size());
  REQUIRE(last > 1);
  CHECK(rows_of({"--last"}) == 3 * std::min<std::ptrdiff_t>(last, 10));
  CHECK(rows_of({"--last", "1"}) == 3);
  CHECK(rows_of({"--last=1"}) == 3);
}

TEST_CASE("unreadable files are named, the rest is shown, and the status is 1") {
  const SampleFolder folder;
  writeText(folder / "bad.json", "{");
  const Outcome outcome = runCommtap({"show", folder.path()});
  CHECK(outcome.status() == 1);
  CHECK(outcome.err.find("commtap: " + (folder / "bad.json")) == 0);
  CHECK(outcome.out.find("3 of 4 ranks") != std::string::npos);
}

TEST_CASE("nothing to show is one line") {
  const TempFolder empty;
  CHECK(runCommtap({"show", empty.path()}).status() == 1);
  CHECK(runCommtap({"show", empty / "none"}).status() == 2);
  const SampleFolder folder;
  const Outcome rank = runCommtap({"show", folder.path(), "--rank", "2"});
  CHECK(rank.status() == 2);
  CHECK(rank.err == "commtap: " + folder.path() + " has no report of rank 2; it has 0-1, 3\n");
  CHECK(runCommtap({"show", folder.path(), "--attempt", "5"}).err.find("the run has 0 to 0") != std::string::npos);
}

TEST_CASE("a merged report is shown like the folder that it was made of") {
  const SampleFolder folder;
  const TempFolder merged;
  const std::string job = merged / "job.json";
  REQUIRE(runCommtap({"export", folder.path(), "--format", "job", "-o", job}).status() == 0);
  for (const Words& options :
       {Words{"--tree"},
        {"--phase", "backward"},
        {"--module", "**.net1", "--per-step"},
        {"--top", "2"},
        {"--time"},
        {"--json", "--time", "--steps", "--nccl"}}) {
    Words of_folder = {"show", folder.path()};
    Words of_merged = {"show", job};
    of_folder.insert(of_folder.end(), options.begin(), options.end());
    of_merged.insert(of_merged.end(), options.begin(), options.end());
    const Outcome outcome = runCommtap(of_merged);
    CHECK(outcome.status() == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out == runCommtap(of_folder).out);
  }
  const std::string steps = runCommtap({"show", job, "--steps"}).out;
  CHECK(steps.find("TIME PER STEP") != std::string::npos);
  CHECK(steps.find("FORWARDS") == std::string::npos);
  CHECK(runCommtap({"show", job, "--nccl"}).out.find("a merged report does not hold CUDA graphs") != std::string::npos);
}

TEST_CASE("what a merged report does not hold is wrong usage") {
  const SampleFolder folder;
  const TempFolder merged;
  const std::string job = merged / "job.json";
  REQUIRE(runCommtap({"export", folder.path(), "--format", "job", "-o", job}).status() == 0);
  for (const Words& options :
       {Words{"--rank", "0"}, {"--operations"}, {"--last", "1"}, {"--time", "--phase", "forward"}}) {
    Words arguments = {"show", job};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = runCommtap(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status() == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(options[0]) != std::string::npos);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

TEST_CASE("--ranks says whether ranks agree, in the exit status too") {
  const TempFolder folder;
  Report report = sampleReport(1);
  report.collectives[0].count += 1;
  writeText(folder / "0.json", reportToJson(sampleReport(0)));
  writeText(folder / "1.json", reportToJson(report));
  const Outcome both = runCommtap({"show", "--ranks", folder.path()});
  CHECK(both.status() == 1);
  CHECK(both.out.find("RANKS DISAGREE") != std::string::npos);
  const Outcome one = runCommtap({"show", "--ranks", folder / "0.json"});
  CHECK(one.status() == 0);
  CHECK(one.out.find("By phase and kind") != std::string::npos);
  CHECK(one.out.find("By module") == std::string::npos);
  const Outcome json = runCommtap({"show", "--ranks", "--json", folder.path()});
  CHECK(json.status() == 1);
  CHECK(nlohmann::json::parse(json.out)["disagreements"].size() == 1);
  CHECK(runCommtap({"show", folder.path()}).status() == 0);
}

TEST_CASE("hosts are asked instead of a folder, and one that does not answer is named") {
  const Outcome outcome = runCommtap({"show", "127.0.0.1:1"});
  CHECK(outcome.status() == 1);
  CHECK(outcome.err.find("127.0.0.1:1: ") != std::string::npos);
  CHECK(outcome.err.find("no report was received") != std::string::npos);
  CHECK(runCommtap({"show", "out", "--slurm"}).status() == 2);
}

TEST_CASE("wrong usage is one line and status 2") {
  for (const Words& arguments :
       {Words{"show"},
        {"show", "x", "--rank", "-1"},
        {"show", "x", "--rank", "a"},
        {"show", "x", "--phase", "x"},
        {"show", "x", "--format", "csv"},
        {"show", "x", "--json", "--per-step"},
        {"show", "x", "--total"},
        {"show", "x", "--top", "0"},
        {"show", "x", "--sort", "name"},
        {"show", "x", "--last=x"},
        {"show", "x", "--last", "0"},
        {"show", "x", "y"}}) {
    const Outcome outcome = runCommtap(arguments);
    CHECK(outcome.status() == 2);
    CHECK(outcome.err.find("commtap: ") == 0);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

TEST_CASE("show reports a full disk") {
  const SampleFolder folder;
  const Outcome outcome =
      runProgram({"/bin/sh", "-c", std::string(COMMTAP_EXE) + " show " + folder.path() + " > /dev/full"});
  CHECK(outcome.status() == 1);
  CHECK(outcome.err == "commtap: cannot write to stdout: No space left on device\n");
}

} // namespace
} // namespace commtap
