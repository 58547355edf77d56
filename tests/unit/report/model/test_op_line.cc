// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/op_line.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace commtap {
namespace {

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  forEachOpLine(text, [&lines](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

TEST_CASE("op_line: a line is an op, a kind and the argument whose bytes count") {
  const ParsedOp parsed = parseOpLine("vllm::all_reduce all_reduce  tensor");
  CHECK(parsed.fault.empty());
  CHECK(parsed.op.name == "vllm::all_reduce");
  CHECK(parsed.op.kind == Kind::kAllReduce);
  CHECK(parsed.op.payload == PayloadRule::kArgument);
  CHECK(parsed.op.payload_argument == "tensor");
}

TEST_CASE(
    "op_line: an argument may be a rank's share, or the factor of a product; without one the first tensor counts") {
  const OpSpec share = parseOpLine("a::b all_gather input*group").op;
  CHECK(share.payload == PayloadRule::kArgumentTimesGroup);
  CHECK(share.payload_argument == "input");
  const OpSpec product = parseOpLine("a::b reduce_scatter A@B").op;
  CHECK(product.payload == PayloadRule::kMatrixProduct);
  CHECK(product.payload_argument == "A");
  const OpSpec first = parseOpLine("a::b all_to_all").op;
  CHECK(first.payload == PayloadRule::kArgument);
  CHECK(first.payload_argument.empty());
  CHECK(parseOpLine("a::b barrier").op.payload == PayloadRule::kNone);
  CHECK(parseOpLine("a::*").op.kind == Kind::kOther);
  for (const char* line : {"a::*", "a::b*", "a_1::b.out barrier"}) {
    CHECK(parseOpLine(line).fault.empty());
  }
}

TEST_CASE("op_line: a bad line says what is wrong with it") {
  for (const char* line :
       {"nonsense",
        "",
        "a::b allreduce",
        "a::b all_reduce tensor more",
        "a::b barrier tensor",
        "a::b all_reduce ten-sor",
        "a::b all_gather *group",
        "a:: all_reduce x",
        "::b",
        "::*",
        "a::*b",
        "a b",
        "a::b::c",
        "a::b all_gather @B"}) {
    CAPTURE(line);
    CHECK_FALSE(parseOpLine(line).fault.empty());
  }
}

TEST_CASE("op_line: lines end at commas and line feeds; comments and blanks are left out") {
  CHECK(linesOf("a::b,c::*") == std::vector<std::string>{"a::b", "c::*"});
  CHECK(
      linesOf(" # one, two\n a::b all_reduce x \r\n\n,\t,c::d # e, f\n#") ==
      std::vector<std::string>{"a::b all_reduce x", "c::d"});
  CHECK(linesOf("").empty());
}

} // namespace
} // namespace commtap
