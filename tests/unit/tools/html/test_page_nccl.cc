// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_columns.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

using nlohmann::json;

TEST_CASE("the page of a job without NCCL calls has no NCCL data") {
  page::Strings strings;
  CHECK(page::ncclOf(sampleJob(), strings).is_null());
}

TEST_CASE("the page has one row per op, group and NCCL function, and one for an op without NCCL calls") {
  JobReport job = ncclJob();
  job.groups[0].backend = "cpu:gloo,cuda:nccl";
  page::Strings strings;
  const json nccl = page::ncclOf(job, strings);
  const json texts = strings.take();
  CHECK(nccl["processes"] == 4);
  CHECK(nccl["communicators"] == 8);
  CHECK(nccl["versions"] == json::parse(R"([{"version": "2.29.7", "ranks": [[0, 3]]}])"));
  const json& compared = nccl["compared"];
  REQUIRE(compared["op"].size() == 3);
  CHECK(texts[compared["op"][0].get<size_t>()] == "_c10d_functional.all_gather_into_tensor");
  CHECK(compared["asked"][0] == 8);
  CHECK(compared["function"][0].is_null());
  CHECK(compared["count"][0].is_null());
  CHECK(texts[compared["group"][1].get<size_t>()] == "default_pg");
  CHECK(texts[compared["function"][1].get<size_t>()] == "ncclAllReduce");
  CHECK(compared["asked_bytes"][1] == 1280);
  CHECK(compared["count"][1] == 5);
  CHECK(compared["bytes"][1] == 1600);
  const json& beside = nccl["beside"];
  REQUIRE(beside["module"].size() == 1);
  CHECK(texts[beside["module"][0].get<size_t>()] == "Engine");
  CHECK(beside["failed"][0] == 4);
}

} // namespace
} // namespace commtap
