// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/time_text.h"

#include <doctest/doctest.h>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

std::string timeTextOf(const SampleRun& folder, const std::string& module = "", bool total = false) {
  const ShowView view = viewOf(folder, {.time = true});
  return timeText({view.group_times, view.module_times, view.job, module, total}, Color::none());
}

TEST_CASE("a run without timing says how to turn it on") {
  const SampleRun folder = sampleFolder();
  CHECK(timeTextOf(folder) == "no durations were measured: run the job with COMMTAP_TIMING=host\n");
}

TEST_CASE("the tables have means, maxima, bandwidths and stragglers") {
  SampleRun folder = sampleFolder();
  for (size_t i = 0; i < folder.files.size(); ++i) {
    Collective& row = folder.files[i].report.collectives[0];
    row.kind = Kind::kAllReduce;
    const uint64_t running_ns = i == 0 ? 9'000'000 : 3'000'000;
    row.time.durations = {
        Durations{2, 4000, 1000, 3000, {}}, {2, running_ns, 1'000'000, running_ns, {}}, {1, 500'000, 1, 500'000, {}}};
    row.time.bytes = 1U << 20U;
    row.time.bus_bytes = 1U << 21U;
  }
  const std::string text = timeTextOf(folder);
  for (const char* part :
       {"2.00 us", "3.00 ms", "9.00 ms", "1.00 ms", "167 MiB/s", "333 MiB/s", "3.00 ms (rank 2)", "Time by module"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part << " in\n" << text);
  }
}

} // namespace
} // namespace commtap
