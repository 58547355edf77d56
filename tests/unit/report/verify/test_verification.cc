// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/verification.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/json/row_write.h"
#include "report/verify/verification_columns.h"

namespace commtap {
namespace {

TEST_CASE("the JSON of a verification has all fields, null for what is not known") {
  Verification result;
  result.ranks = {{0, 3}};
  result.findings.emplace_back().sets = {{{{0, 1}}, {{{0, 0}}, {{1, 1}}}}};
  std::string text;
  appendRow(text, result, ReportContext{});
  const nlohmann::json json = nlohmann::json::parse(text);
  CHECK(json["schema"] == "commtap.verify/1");
  CHECK(json["status"] == "nothing_to_compare");
  CHECK(json["ranks"] == "0-3");
  CHECK(json["first_step"].is_null());
  CHECK(json["findings"][0]["class"] == "rounding");
  CHECK(json["findings"][0]["step"].is_null());
  CHECK(json["findings"][0]["sets"][0]["ranks"] == "0-1");
  CHECK(json["findings"][0]["sets"][0]["parts"][1] == "1");
}

} // namespace
} // namespace commtap
