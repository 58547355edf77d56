// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/docs/row_pages.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::string docsText(const std::string& file) {
  return readText(std::string(COMMTAP_SOURCE_ROOT) + "/docs/" + file);
}

TEST_CASE("row_pages: the schemas and the pages of docs have the described rows") {
  size_t described = 0;
  for (const auto& file : std::filesystem::directory_iterator(COMMTAP_SOURCE_ROOT "/docs/schema")) {
    const std::string schema = readText(file.path());
    const Result<std::string> made = schemaWithRows(schema);
    INFO(file.path().string());
    described += made ? 1 : 0;
    CHECK((!made || *made == schema));
  }
  CHECK(described == 10);
  for (const char* file :
       {"report.md", "doctor.md", "hangs.md", "advise.md", "list.md", "plan.md", "prune.md", "steps.md", "verify.md"}) {
    CHECK(*pageWithFields(docsText(file)) == docsText(file));
  }
}

TEST_CASE("row_pages: ranges of ranks are a text, on a page as in its schema") {
  CHECK(docsText("list.md").find("| `ranks` | text | The ranks with a report") != std::string::npos);
}

TEST_CASE("row_pages: a changed definition is regenerated, its description is kept") {
  std::string schema = docsText("schema/commtap-2.schema.json");
  const std::string description = "All collectives that have these properties.";
  REQUIRE(schema.find(description) != std::string::npos);
  const std::string field = "\"reduce_op\": {";
  schema.replace(schema.find(field), field.size(), "\"other_op\": {");
  const Result<std::string> made = schemaWithRows(schema);
  REQUIRE(made);
  CHECK(*made == docsText("schema/commtap-2.schema.json"));
  CHECK(made->find(description) != std::string::npos);
}

TEST_CASE("row_pages: another document is not a schema of rows") {
  CHECK(schemaWithRows("{}").error().find("not the schema") == 0);
  CHECK(schemaWithRows("no JSON").error().find("not the schema") == 0);
  CHECK(schemaWithRows(docsText("schema/commtap-diff-1.schema.json")).error().find("not the schema") == 0);
}

TEST_CASE("row_pages: a table replaces what stands between its marks") {
  const std::string page = "a\n<!-- fields: operations -->\nold\n<!-- end of fields -->\nb\n";
  const Result<std::string> made = pageWithFields(page);
  REQUIRE(made);
  CHECK(made->starts_with("a\n<!-- fields: operations -->\n| field | type | meaning |\n"));
  CHECK(made->ends_with("|\n<!-- end of fields -->\nb\n"));
  CHECK(made->find("old") == std::string::npos);
  CHECK(made->find("| `dtensor` | true or false | Whether") != std::string::npos);
  CHECK(*pageWithFields("no marks\n") == "no marks\n");
}

TEST_CASE("row_pages: a wrong mark is an error") {
  CHECK(pageWithFields("<!-- fields: rows -->\n<!-- end of fields -->\n").error() == "no table rows");
  CHECK(pageWithFields("<!-- fields: steps -->\n").error() == "a table of fields has no end");
}

TEST_CASE("docs/tables.md is made from the tables") {
  CHECK(readText(COMMTAP_SOURCE_ROOT "/docs/tables.md") == tablesPage());
}

} // namespace

} // namespace commtap
