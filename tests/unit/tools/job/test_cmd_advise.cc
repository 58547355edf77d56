// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "report/job/job_report_json.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("advise reads a job and exits with 0, with or without advice") {
  const TempFolder folder;
  writeText(folder / "job.json", jobReportToJson(sampleJob()));
  const Outcome text = runCommtap({"advise", folder / "job.json"});
  CHECK(text.status() == 0);
  CHECK_FALSE(text.out.empty());
  CHECK(has(runCommtap({"advise", folder / "job.json", "--json"}).out, "\"commtap.advise/1\""));
  CHECK(runCommtap({"advise", folder / "nowhere"}).status() == 2);
}

} // namespace
} // namespace commtap
