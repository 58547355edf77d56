// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/json_row.h"

#include <limits>

#include <doctest/doctest.h>

namespace commtap {
namespace {

using nlohmann::ordered_json;

TEST_CASE("a row equals the text of nlohmann for any strings") {
  for (const std::string& text :
       {std::string("layers.0"),
        std::string(),
        std::string("\"quoted\" \\ </script>\n\t\x01\x7f"),
        std::string("größe \xff\xc3"),
        std::string("a\0b", 3)}) {
    std::string written;
    {
      JsonRow row(written);
      row.addText("text", text);
      row.addTexts("texts", {text, "b", text});
    }
    CHECK(written == jsonLine(ordered_json{{"text", text}, {"texts", {text, "b", text}}}));
  }
}

TEST_CASE("every byte is written correctly at every position of texts of every length") {
  for (const char special : {'"', '\\', '\n', '\x1f', '\x7f', '\x80', '\xff', ' ', '~', '!', '[', ']'}) {
    for (size_t length = 1; length < 20; ++length) {
      for (size_t at = 0; at < length; ++at) {
        std::string text(length, 'a');
        text[at] = special;
        std::string written;
        JsonRow(written).addText("text", text);
        CHECK(written == jsonLine(ordered_json{{"text", text}}));
      }
    }
  }
}

TEST_CASE("names and texts of any length are complete when the buffer fills") {
  std::string written;
  ordered_json expected;
  {
    JsonRow row(written);
    for (size_t length = 0; length < 1200; length += 7) {
      const std::string name = std::to_string(length) + std::string(length % 480, 'n');
      const std::string text(length, 't');
      row.addText(name, text);
      expected[name] = text;
    }
  }
  CHECK(written == jsonLine(expected));
}

TEST_CASE("numbers, nulls, lists and nested objects equal the text of nlohmann") {
  std::string written;
  {
    JsonRow row(written);
    row.addNumber("largest", std::numeric_limits<uint64_t>::max());
    row.addReal("whole", 96.0);
    row.addReal("half", 1.5);
    row.addBool("yes", true);
    row.addNull("nothing");
    row.addTextOrNull("no_text", "");
    row.addTextOrNull("a_text", "a");
    row.addObject("empty");
    {
      JsonRow inner = row.addObject("inner");
      inner.addNumber("1", 2);
      inner.addNumber("4", 8);
    }
    row.addTexts("none", {});
    row.addJson("list", ordered_json::array({1, "b"}));
  }
  CHECK(
      written ==
      R"({"largest":18446744073709551615,"whole":96,"half":1.5,"yes":true,"nothing":null,"no_text":null,"a_text":"a",)"
      R"("empty":{},"inner":{"1":2,"4":8},"none":[],"list":[1,"b"]})");
}

TEST_CASE("a whole number has no fraction; a negative or too large number stays a double") {
  CHECK(numberJson(96).dump() == "96");
  CHECK(numberJson(0.5).dump() == "0.5");
  CHECK(numberJson(-3).dump() == "-3.0");
  CHECK(numberJson(1e16).dump() == "1e+16");
}

} // namespace
} // namespace commtap
