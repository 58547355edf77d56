// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
// Checks that each source of the product has a unit test of its name or of its header's, except those that the table of
// CONTRIBUTING.md names, and that no file is too long to be one subject.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
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

const char* const kTableHead = "| source | why it has no unit test |";

// The longest that a file may be, in lines.
constexpr auto kMostSourceLines = 640;
constexpr auto kMostHeaderLines = 550;

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

/// Returns where a test of a file is: tests/unit/report/model/test_members.cc of report/model/members.cc or members.h.
std::string testOf(const fs::path& file) {
  return ("tests/unit" / file.parent_path() / ("test_" + file.stem().string() + ".cc")).string();
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

/// Returns the files of the product with one of these extensions, as paths below the root.
Paths filesWith(const std::set<std::string>& extensions) {
  const fs::path root = COMMTAP_SOURCE_ROOT;
  Paths found;
  for (const char* part : {"shim", "report", "tracker", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
      if (extensions.contains(entry.path().extension())) {
        found.insert(fs::relative(entry.path(), root).string());
      }
    }
  }
  return found;
}

/// Returns the sources of the product that need a test.
Paths sources() {
  Paths found = filesWith({".c", ".cc"});
  std::erase_if(
      found, [](const std::string& each) { return !definesFunction(contentOf(fs::path(COMMTAP_SOURCE_ROOT) / each)); });
  return found;
}

/// Returns the header that declares what a source defines: its first include, if that is a file of its folder.
std::optional<std::string> headerOf(const fs::path& source, const std::string& text) {
  std::smatch first;
  const bool is_project_file =
      std::regex_search(text, first, std::regex("#include (\\S+)")) && first[1].str()[0] == '"';
  const fs::path header = is_project_file ? first[1].str().substr(1, first[1].length() - 2) : "";
  return header.parent_path() == source.parent_path() ? std::optional(header.string()) : std::nullopt;
}

/// Returns whether a source has a test of its name or of its header's.
bool isTested(const std::string& source, const fs::path& root) {
  const std::optional<std::string> header = headerOf(source, contentOf(root / source));
  return fs::exists(root / testOf(source)) || (header && fs::exists(root / testOf(*header)));
}

/// Returns the sources without a test that are not in `untested`, and those in it that have one or do not exist.
std::vector<std::string> wrongOf(const Paths& all, const Paths& untested, const fs::path& root) {
  std::vector<std::string> wrong;
  for (const std::string& source : all) {
    if (!untested.contains(source) && !isTested(source, root)) {
      wrong.push_back(source + " has no " + testOf(source) + ", and no test of its header's name");
    }
  }
  for (const std::string& source : untested) {
    if (!all.contains(source) || isTested(source, root)) {
      wrong.push_back("CONTRIBUTING.md names " + source + " as a source without a test");
    }
  }
  return wrong;
}

TEST_CASE("sources: each has a unit test of its name or its header's, or is in the table of those that have none") {
  std::ifstream page(COMMTAP_SOURCE_ROOT "/CONTRIBUTING.md");
  const Paths untested = untestedIn(page);
  const Paths all = sources();
  CHECK_FALSE(untested.empty());
  CHECK(all.size() > 200);
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

TEST_CASE("sources: the header of a source is its first include, if that is a file of its room") {
  const fs::path source = "report/base/mapped_file.cc";
  CHECK(
      headerOf(source, "#include \"report/base/files.h\"\n#include \"report/base/text.h\"\n") == "report/base/files.h");
  CHECK_FALSE(headerOf(source, "#include \"report/model/files.h\"\n#include \"report/base/text.h\"\n"));
  CHECK_FALSE(headerOf(source, "#include <string>\n\n#include \"report/base/files.h\"\n"));
  CHECK_FALSE(headerOf(source, ""));
}

TEST_CASE("sources: no file is longer than one subject takes") {
  const auto lines = [](const std::string& path) {
    const std::string text = contentOf(fs::path(COMMTAP_SOURCE_ROOT) / path);
    return std::count(text.begin(), text.end(), '\n');
  };
  for (const std::string& each : filesWith({".c", ".cc"})) {
    CHECK_MESSAGE(lines(each) <= kMostSourceLines, each);
  }
  for (const std::string& each : filesWith({".h"})) {
    CHECK_MESSAGE(lines(each) <= kMostHeaderLines, each);
  }
}

TEST_CASE("sources: one that defines variables only needs no test") {
  CHECK(definesFunction("/* One. */\nint one(void) {\n  return 1;\n}\n"));
  CHECK_FALSE(definesFunction("/* One (1). */\n// and (2)\n#include \"one.h\"\nstruct one one;\n"));
}

} // namespace
} // namespace commtap
