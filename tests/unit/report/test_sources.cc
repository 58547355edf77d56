// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
// Checks that each source of the product has a unit test of its name, except those that the table of CONTRIBUTING.md
// names.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace commtap {
namespace {

namespace fs = std::filesystem;
using Paths = std::set<std::string>;

const char* const kTableHead = "| source | why it has no unit test of its name |";

/// Reads the table of sources that have no test of their name from a text like CONTRIBUTING.md.
Paths untestedIn(std::istream& text) {
  Paths sources;
  std::string line;
  while (std::getline(text, line) && line != kTableHead) {
  }
  std::getline(text, line); // the rule below the head
  while (std::getline(text, line) && line.starts_with("| `")) {
    sources.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return sources;
}

/// Returns where the test of a source is: tests/unit/report/model/test_members.cc of report/model/members.cc.
std::string testOf(const fs::path& source) {
  return ("tests/unit" / source.parent_path() / ("test_" + source.stem().string() + ".cc")).string();
}

/// Returns whether a C or C++ text defines a function. One without a function has nothing that a test can call.
bool definesFunction(std::string text) {
  text = std::regex_replace(text, std::regex(R"(/\*[^]*?\*/|//[^\n]*|#[^\n]*)"), "");
  return text.find('(') != std::string::npos;
}

std::string contentOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Returns the sources of the product that need a test, as paths below the root.
Paths sources() {
  const fs::path root = COMMTAP_SOURCE_ROOT;
  Paths found;
  for (const char* part : {"shim", "report", "tracker", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
      const fs::path extension = entry.path().extension();
      if ((extension == ".cc" || extension == ".c") && definesFunction(contentOf(entry.path()))) {
        found.insert(fs::relative(entry.path(), root).string());
      }
    }
  }
  return found;
}

/// Returns the sources without a test that are not in `untested`, and those in it that have one or do not exist.
std::vector<std::string> wrongOf(const Paths& all, const Paths& untested, const fs::path& root) {
  std::vector<std::string> wrong;
  for (const std::string& source : all) {
    if (!untested.contains(source) && !fs::exists(root / testOf(source))) {
      wrong.push_back(source + " has no " + testOf(source));
    }
  }
  for (const std::string& source : untested) {
    if (!all.contains(source) || fs::exists(root / testOf(source))) {
      wrong.push_back("CONTRIBUTING.md names " + source + " as a source without a test of its name");
    }
  }
  return wrong;
}

TEST_CASE("sources: each has a unit test of its name, or is in the table of those that have none") {
  std::ifstream page(COMMTAP_SOURCE_ROOT "/CONTRIBUTING.md");
  const Paths untested = untestedIn(page);
  const Paths all = sources();
  CHECK_FALSE(untested.empty());
  CHECK(all.size() > 250);
  for (const std::string& each : wrongOf(all, untested, COMMTAP_SOURCE_ROOT)) {
    FAIL_CHECK(each);
  }
}

TEST_CASE("sources: a source without a test, and a row that is no longer true, are found") {
  std::istringstream text(std::string(kTableHead) + "\n|---|---|\n| `report/base/old.cc` | why |\n\n| `other` | |\n");
  const Paths untested = untestedIn(text);
  CHECK(untested == Paths{"report/base/old.cc"});
  CHECK(wrongOf({"report/base/new.cc", "report/base/old.cc"}, untested, "/nowhere").size() == 1);
  CHECK(wrongOf({"report/base/glob.cc"}, untested, COMMTAP_SOURCE_ROOT).size() == 1);
  CHECK(wrongOf({"report/base/glob.cc"}, {"report/base/glob.cc"}, COMMTAP_SOURCE_ROOT).size() == 1);
}

TEST_CASE("sources: one that defines variables only needs no test") {
  CHECK(definesFunction("/* One. */\nint one(void) {\n  return 1;\n}\n"));
  CHECK_FALSE(definesFunction("/* One (1). */\n// and (2)\n#include \"one.h\"\nstruct one one;\n"));
}

} // namespace
} // namespace commtap
