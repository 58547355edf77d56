// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/samples_reader.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/unit/report/samples/sample_values.h"

namespace commtap {
namespace {

TEST_CASE("parameters survive a round trip through their text") {
  SampledParameter other = fullParameter();
  other.mesh = "{}";
  other.ddp_ranks = {1};
  const std::vector<SampledParameter> parameters = {
      plainParameter("Net.a"), fullParameter(), plainParameter(""), other, fullParameter()};
  const std::vector<SampledParameter> read = parametersFromJson(parametersToJson(parameters));
  REQUIRE(read.size() == parameters.size());
  for (size_t i = 0; i < read.size(); ++i) {
    CAPTURE(i);
    CHECK(areEqual(read[i], parameters[i]));
  }
  CHECK(parametersFromJson(parametersToJson({})).empty());
}

TEST_CASE("a parameter with the usual facts takes few bytes") {
  const std::vector<SampledParameter> many(1000, plainParameter("Net.layers.10.attention.query.weight"));
  CHECK(parametersToJson(many).size() < 70 * many.size());
}

TEST_CASE("a name that is not UTF-8 stays readable") {
  const std::vector<SampledParameter> parameters = {plainParameter("a\xff")};
  CHECK(parametersFromJson(parametersToJson(parameters)).at(0).name.starts_with("a"));
}

TEST_CASE("a text that has no parameters is rejected") {
  for (const char* text :
       {"",
        "{}",
        "[]",
        R"({"meshes":[],"rank_lists":[],"parameters":[{"name":"a"}]})",
        R"({"meshes":[],"rank_lists":[],"parameters":[{"name":"a","shape":[],"mesh":0}]})",
        R"({"meshes":[],"rank_lists":[],"parameters":[{"name":"a","shape":[],"requires_grad":1}]})",
        R"({"meshes":[],"rank_lists":[],"parameters":[{"name":"a","shape":[],"optimizer":-1}]})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parametersFromJson(text), std::runtime_error);
  }
}

} // namespace
} // namespace commtap
