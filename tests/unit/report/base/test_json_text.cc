// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/json_text.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a list of strings survives a round trip through JSON text") {
  const std::vector<std::string> strings = {"", "a b", "\"\n"};
  CHECK(stringsFromJson(stringsToJson(strings)) == strings);
  CHECK(stringsToJson({"a\xff"}) == "[\"a\xef\xbf\xbd\"]");
}

TEST_CASE("text that is not a JSON list is read as an empty list") {
  CHECK(stringsFromJson("").empty());
  CHECK(stringsFromJson("{\"a\":1}").empty());
  CHECK(stringsFromJson("[1,\"x\"]") == std::vector<std::string>{"1", "x"});
  CHECK(integersFromJson("[16,-1,\"x\"]") == std::vector<int64_t>{16, -1, -1});
  CHECK(integersFromJson("[16").empty());
}

TEST_CASE("a text nests too deeply beyond a hundred levels; brackets in strings are text") {
  const auto nested = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  CHECK(!nestsTooDeeply(nested(100)));
  CHECK(nestsTooDeeply(nested(101)));
  CHECK(nestsTooDeeply(std::string(101, '[')));
  CHECK(!nestsTooDeeply("[\"" + std::string(200, '[') + "\\\"" + std::string(200, '{') + "\"]"));
  CHECK(!nestsTooDeeply("[" + std::string(200, ' ') + "[],[],{}]"));
  CHECK(stringsFromJson("[" + nested(100'000) + "]").empty());
}

TEST_CASE("a text has at most as many values as its marks allow") {
  CHECK(mostJsonValues("1") == 1);
  CHECK(mostJsonValues(R"({"a":[1,2]})") == 5);
  CHECK(mostJsonValues(std::string(1000, ' ')) == 1);
}

TEST_CASE("the memory of a text grows with its values and with its longest stretch of blanks or of a string") {
  const std::string blanks(1'000'000, ' ');
  CHECK(jsonMemory("[1,2,3]") - jsonMemory("[1,2]") == jsonMemory("[1,2,3,4]") - jsonMemory("[1,2,3]"));
  CHECK(jsonMemory("[1," + blanks + "2]") > 4 * blanks.size());
  CHECK(jsonMemory("[\"" + blanks + "\"]") > 4 * blanks.size());
  CHECK(jsonMemory("[" + blanks + "2," + blanks + "3]") < 5 * blanks.size());
}

} // namespace
} // namespace commtap
