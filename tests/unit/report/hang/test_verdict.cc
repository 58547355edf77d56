// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/verdict.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/hang/verdict_columns.h"
#include "report/json/row_write.h"

namespace commtap {
namespace {

TEST_CASE("the JSON of a verdict has all fields, null for what is not known") {
  Verdict verdict;
  verdict.status = HangStatus::kStuck;
  verdict.reason = HangReason::kBlocked;
  verdict.cause = {{1, 3}};
  verdict.ranks.emplace_back().rank = 1;
  std::string text;
  appendRow(text, verdict, ReportContext{});
  const nlohmann::json json = nlohmann::json::parse(text);
  CHECK(json["schema"] == "commtap.why/1");
  CHECK(json["status"] == "stuck");
  CHECK(json["reason"] == "blocked");
  CHECK(json["cause"] == "1-3");
  CHECK(json["call"].is_null());
  CHECK(json["since"].is_null());
  CHECK(json["calls"].empty());
  CHECK(json["ranks"][0]["role"] == "other");
  CHECK(json["ranks"][0]["pid"].is_null());
}

} // namespace
} // namespace commtap
