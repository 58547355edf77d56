// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/tolerance.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("parseAllowance accepts numbers and percentages") {
  CHECK(parseAllowance("3") == Allowance{3, false});
  CHECK(parseAllowance("2.5%") == Allowance{2.5, true});
  CHECK(parseAllowance("5%")->of(200) == 10);
  CHECK(parseAllowance("5")->of(200) == 5);
  for (const char* wrong : {"", "%", "-1", "5 %", "nan", "inf", "x", "5%%"}) {
    CHECK_FALSE(parseAllowance(wrong));
  }
}

TEST_CASE("parseTolerance reads the rows that a rule applies to") {
  const auto rule = parseTolerance("module=**.moe,kind=all_to_all,phase=forward,group=mesh_*,bytes=20%,count=1");
  REQUIRE(rule);
  CHECK(rule->bytes == Allowance{20, true});
  CHECK(rule->count == Allowance{1, false});
  CHECK_FALSE(rule->ranks);
  CHECK(parseTolerance("ranks=50%")->ranks == Allowance{50, true});
  CHECK(rule->pattern.matches({"Net.moe", Phase::kForward, Kind::kAllToAll, "mesh_ep"}));
  CHECK_FALSE(rule->pattern.matches({"Net.moe", Phase::kBackward, Kind::kAllToAll, "mesh_ep"}));
  CHECK_FALSE(rule->pattern.matches({"Net.moe", Phase::kForward, Kind::kAllGather, "mesh_ep"}));
  CHECK_FALSE(rule->pattern.matches({"Net.mlp", Phase::kForward, Kind::kAllToAll, "mesh_ep"}));
  CHECK_FALSE(rule->pattern.matches({"Net.moe", Phase::kForward, Kind::kAllToAll, "default_pg"}));
}

TEST_CASE("parseTolerance names the invalid part of a rule") {
  CHECK(parseTolerance("bytes=5%,kind=all_gathr").error().find("\"kind=all_gathr\" is not") == 0);
  CHECK(parseTolerance("bytes").error().find("\"bytes\" is not") == 0);
  CHECK(parseTolerance("bytes=x").error().find("\"bytes=x\" is not") == 0);
  CHECK(parseTolerance("").error().find("\"\" is not") == 0);
  CHECK(parseTolerance("kind=send").error().find("sets no tolerance") != std::string::npos);
  CHECK(parseTolerance("phase=x,count=1").error().find("\"phase=x\"") == 0);
  CHECK(parseTolerance("color=red,count=1").error().find("\"color=red\"") == 0);
}

TEST_CASE("the last matching tolerance applies, separately for calls, bytes and ranks") {
  const std::vector<Tolerance> rules = {
      *parseTolerance("bytes=5%,count=2"),
      *parseTolerance("kind=send,bytes=50%"),
      *parseTolerance("kind=recv,count=9"),
      *parseTolerance("kind=recv,ranks=3")};
  CHECK(toleranceFor(rules, {"m", Phase::kOther, Kind::kSend, "g"}).bytes == Allowance{50, true});
  CHECK(toleranceFor(rules, {"m", Phase::kOther, Kind::kSend, "g"}).count == Allowance{2, false});
  CHECK(toleranceFor(rules, {"m", Phase::kOther, Kind::kRecv, "g"}).bytes == Allowance{5, true});
  CHECK(toleranceFor(rules, {"m", Phase::kOther, Kind::kRecv, "g"}).count == Allowance{9, false});
  CHECK(toleranceFor(rules, {"m", Phase::kOther, Kind::kRecv, "g"}).ranks == Allowance{3, false});
  CHECK(toleranceFor(rules, {"m", Phase::kOther, Kind::kSend, "g"}).ranks == Allowance{});
  CHECK(toleranceFor({}, {"m", Phase::kOther, Kind::kRecv, "g"}).bytes == Allowance{});
}

} // namespace
} // namespace commtap
