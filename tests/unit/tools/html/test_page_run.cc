// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_columns.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

using nlohmann::json;

TEST_CASE("names are ASCII in the page data and cannot end the script element") {
  JobReport job = sampleJob();
  job.run_id = "</script><!--&\xe2\x80\xa8\xff";
  const std::string data = page::documentText(page::factsOf(job));
  CHECK(data.find_first_of("<>&") == std::string::npos);
  CHECK(std::all_of(data.begin(), data.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
  CHECK(json::parse(data)["run_id"] == "</script><!--&\xe2\x80\xa8\xef\xbf\xbd");
}

TEST_CASE("the page's facts have the command line") {
  JobReport job = sampleJob();
  job.argv = {"python", "train.py"};
  CHECK(page::factsOf(job)["argv"] == json({"python", "train.py"}));
}

TEST_CASE("a page's process has its exit and the time of its last activity") {
  JobReport job = sampleJob();
  job.processes.resize(4);
  job.processes[0].exit = ExitKind::kKilled;
  job.processes[0].ended_at_ns = std::nullopt;
  job.processes[0].last_activity_ns = 7;
  job.processes[1].last_activity_ns = 8;
  job.processes[1].exit_status = 1;
  job.processes[2].exit = ExitKind::kAfterWork;
  job.processes[3].exit = ExitKind::kSignal;
  job.processes[3].exit_signal = 6;
  page::Strings strings;
  const json processes = page::processesOf(job, strings);
  CHECK(processes["exit"][0] == "killed");
  CHECK(processes["ended_at"][0].is_null());
  CHECK(processes["exit_status"] == json({nullptr, 1, nullptr, nullptr}));
  CHECK(processes["last_activity_at"][0] == 7);
  CHECK(processes["last_activity_at"][1] == 8);
  const json texts = strings.take();
  CHECK(
      texts[processes["end"][0].get<size_t>()] ==
      "crashed or killed (the signal is not known); the numbers end at that moment");
  CHECK(texts[processes["end"][1].get<size_t>()] == "ended with status 1");
  CHECK(
      texts[processes["end"][2].get<size_t>()] ==
      "ended by a signal or its launcher after the work; the numbers are whole");
  CHECK(texts[processes["end"][3].get<size_t>()] == "ended by SIGABRT");
}

TEST_CASE("phases and kinds are named by number") {
  CHECK(page::phaseNames()[static_cast<size_t>(Phase::kBackward)] == "backward");
  CHECK(page::kindNames()[static_cast<size_t>(Kind::kAllGather)] == "all_gather");
}

} // namespace
} // namespace commtap
