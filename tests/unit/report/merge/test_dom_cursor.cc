// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/dom_cursor.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// A document and its parser, which holds it.
class Document {
 public:
  explicit Document(const std::string& text) : root_(parser_.parse(text), "report") {}

  const DomCursor& root() const {
    return root_;
  }

 private:
  simdjson::dom::parser parser_;
  DomCursor root_;
};

template <typename Read>
std::string errorOf(const Read& read) {
  try {
    read();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("an error names the path of the value and the start of what was found") {
  const Document document(R"({"rows": [{"count": 1}, {"count": -2, "name": "x"}], "none": null})");
  const DomCursor rows = document.root().at("rows");
  CHECK(errorOf([&] {
          rows.items<int>([](const DomCursor& row) { return row.number<uint32_t>("count"); });
        }) == "report.rows[1].count is -2, not a count");
  CHECK(errorOf([&] {
          rows.lastItems<int>(1, [](const DomCursor& row) { return row.number<int>("name"); });
        }) == "report.rows[1].name is \"x\", not an integer");
  CHECK(errorOf([&] { document.root().at("more"); }) == "report.more is missing");
  CHECK(errorOf([&] {
          document.root().at("none").items<int>([](const DomCursor&) { return 0; });
        }) == "report.none is not a list");
  CHECK_FALSE(document.root().has("none"));
  CHECK_FALSE(document.root().textIfAny("rows"));
}

TEST_CASE("a number must fit its type") {
  const Document document(R"({"a": 4294967296, "b": true, "c": 1.5})");
  CHECK(document.root().number<uint64_t>("a") == 4294967296);
  for (const char* name : {"a", "b", "c"}) {
    CHECK_FALSE(document.root().at(name).integerIfAny<uint32_t>());
  }
}

TEST_CASE("of a repeated name the last value counts, also if the fields are read in order") {
  const Document document(R"({"a": 1, "b": 2, "a": 3})");
  CHECK(document.root().number<int>("a") == 3);
  DomCursor::Fields fields(document.root());
  CHECK(fields.find("a")->integer<int>() == 1);
  CHECK(fields.find("b")->integer<int>() == 2);
  CHECK(fields.mayHaveRepeated());
  fields.search();
  CHECK(fields.find("a")->integer<int>() == 3);
  CHECK_FALSE(fields.mayHaveRepeated());
}

TEST_CASE("other fields than those read repeat nothing") {
  const Document document(R"({"a": 1, "more": 2, "b": 3})");
  DomCursor::Fields fields(document.root());
  CHECK(fields.find("a"));
  CHECK(fields.find("b")->integer<int>() == 3);
  CHECK_FALSE(fields.find("c"));
  CHECK_FALSE(fields.mayHaveRepeated());
}

} // namespace
} // namespace commtap
