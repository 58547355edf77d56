// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/dtype_changes.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

JobReport jobWith(const std::string& dtype) {
  JobReport job;
  job.groups = {{.name = "dp"}};
  for (const char* const module : {"Net.layers.0", "Net.layers.1", "Net.head"}) {
    JobCollective row;
    row.module = module;
    row.phase = Phase::kForward;
    row.kind = Kind::kAllGather;
    row.dtype = row.module == "Net.head" ? "int64" : dtype;
    job.collectives.push_back(row);
  }
  job.collectives.emplace_back().kind = Kind::kBarrier; // has no dtype
  return job;
}

TEST_CASE("rows of other dtypes are named, also if their bytes are equal") {
  CHECK(
      dtypeNotes(jobWith("bfloat16"), jobWith("float16")) ==
      std::vector<std::string>{
          "bfloat16 before, float16 after: all_gather in Net.layers.* (forward, dp); 2 of 3 rows"});
  CHECK(dtypeNotes(jobWith("bfloat16"), jobWith("bfloat16")).empty());
}

TEST_CASE("rows that one run lacks have no other dtype, and a row may have several") {
  JobReport after = jobWith("float32");
  after.collectives.erase(after.collectives.begin());
  after.collectives.push_back(after.collectives.front());
  after.collectives.back().dtype = "bfloat16";
  CHECK(
      dtypeNotes(jobWith("float32"), after) ==
      std::vector<std::string>{
          "float32 before, bfloat16 and float32 after: all_gather in Net.layers.1 (forward, dp); 1 of 2 rows"});
}

} // namespace
} // namespace commtap
