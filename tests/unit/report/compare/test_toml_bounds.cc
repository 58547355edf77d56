// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/toml_bounds.h"

#include <doctest/doctest.h>

#include "report/compare/budget_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Returns a key with this many dots.
std::string dotted(size_t dots) {
  std::string key = "a";
  for (size_t i = 0; i < dots; ++i) {
    key += ".a";
  }
  return key;
}

std::string why(const std::string& text) {
  return whyNotToml(text, uint64_t{1} << 30U);
}

TEST_CASE("dots in strings, numbers and comments are not those of a key") {
  const std::string dots = dotted(50);
  for (const std::string& text :
       {"x = \"" + dots + "\"",
        "x = '" + dots + "'",
        "x = \"\"\"\n\"" + dots + "\n\"\"\"",
        "x = '''\n'" + dots + "\n'''",
        "x = \"a\\\"" + dots + "\"",
        "# " + dots,
        std::string("x = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5]"),
        std::string("a.b.c.d = 1\na.b.c.e = 1\n[a.b.f.g]\n[[a.b.f.h]]")}) {
    CAPTURE(text);
    CHECK(why(text).empty());
  }
}

TEST_CASE("a key with many dots is refused, wherever it hides") {
  const std::string dots = dotted(9);
  for (const std::string& text :
       {dots + " = 1",
        "[" + dots + "]",
        "[[" + dots + "]]",
        "x = { y = '''\"''', " + dots + " = 1 }",
        "x = \"\"\"a\"\" \"\"\"\n" + dots + " = 1",
        "x = { y = \"\"\"a\"\"\"\"\", " + dots + " = 1 }",
        "x = 'a' # '\n" + dots + " = 1",
        std::string("\"=\".a.\"=\".a.\"=\".a.\"=\".a.\"=\".a = 1")}) {
    CAPTURE(text);
    CHECK(has(why(text), ": a key has more than 8 dots"));
  }
  CHECK(why("x = \"\"\"\n\n\"\"\"\n" + dots) == "line 4: a key has more than 8 dots");
}

TEST_CASE("a text of many values is refused before it is parsed") {
  const std::string text = "x = [" + std::string(10'000, ',') + "]";
  CHECK(has(whyNotToml(text, 1'000'000), "may take more than 1000000 bytes"));
  CHECK(whyNotToml(text, 10'000'000).empty());
}

TEST_CASE("a budget of a million dotted keys is an error") {
  CHECK(has(budgetFromToml(dotted(1'000'000) + " = 1").error(), "line 1: a key has more than 8 dots"));
}

} // namespace
} // namespace commtap
