// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/verified_run.h"

#include <doctest/doctest.h>

#include "tests/unit/programs.h"
#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

TEST_CASE("a run is judged in words, and other commands show its first line") {
  const TempFolder folder;
  CHECK(verifiedLine(folder.path(), {}).empty());
  CHECK_FALSE(verifiedRun(folder.path(), {}));
  VerifyJob job(2);
  job.addOnAll("Net.w", noise(1));
  job.gradient("Net.w", 2);
  job.step(1);
  job.write(folder.path());
  const Result<Verification> result = verifiedRun(folder.path(), {});
  REQUIRE(result);
  CHECK(result->status == VerifyStatus::kOk);
  CHECK(result->line.starts_with("OK: 1 parameter has replicas"));
  const std::string line = verifiedLine(folder.path(), {});
  CHECK(line.starts_with("verify: OK: 1 parameter"));
  CHECK(line.ends_with(": commtap verify " + folder.path() + "\n"));
  CHECK(verifiedLine(folder.path(), {.run_id = "another"}).empty());
}

} // namespace
} // namespace commtap
