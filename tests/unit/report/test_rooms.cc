// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
// Checks every `#include "..."` of the product against the allowed dependencies between rooms, so that no dependency
// points backwards.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace commtap {
namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

/// Maps a room to the other rooms whose headers it may include. CONTRIBUTING.md describes the rooms.
const std::map<std::string, Rooms>& allowed() {
  static const std::map<std::string, Rooms> table = {
      {"shim", {}},
      {"report/base", {}},
      {"report/model", {}},
      {"report/ledger", {"report/base", "report/model"}},
      {"report/ledger_reader", {"report/base", "report/model", "report/ledger"}},
      {"report/json", {"report/base", "report/model"}},
      {"report/runs", {"report/base", "report/model", "report/ledger_reader", "report/json"}},
      {"report/job", {"report/base", "report/model", "report/json"}},
      {"report/merge",
       {"report/base", "report/model", "report/ledger_reader", "report/json", "report/runs", "report/job"}},
      {"report/compare", {"report/base", "report/model", "report/json", "report/job"}},
      {"report/advice", {"report/base", "report/model", "report/json", "report/job"}},
      {"report/hang", {"report/base", "report/model", "report/json", "report/job", "report/merge"}},
      {"tracker/torch", {"report/model"}},
      {"tracker/core",
       {"tracker/torch", "report/base", "report/model", "report/ledger", "report/ledger_reader", "report/runs"}},
      {"tracker/attribution", {"tracker/torch", "tracker/core", "report/model", "report/ledger"}},
      {"tracker/compiled", {"tracker/torch", "tracker/core", "tracker/attribution", "report/base"}},
      {"tracker/gloo", {"tracker/torch", "tracker/core", "report/model", "shim"}},
      {"tracker/collectives",
       {"tracker/torch",
        "tracker/core",
        "tracker/attribution",
        "tracker/compiled",
        "tracker/gloo",
        "report/model",
        "report/ledger",
        "shim"}},
      {"tracker/gpu", {"tracker/core", "tracker/attribution", "report/model", "report/ledger", "shim"}},
      {"tracker/modules",
       {"tracker/torch",
        "tracker/core",
        "tracker/attribution",
        "tracker/compiled",
        "tracker/collectives",
        "report/model",
        "shim"}},
      {"tracker/ops",
       {"tracker/torch",
        "tracker/core",
        "tracker/attribution",
        "tracker/collectives",
        "tracker/modules",
        "report/model",
        "shim"}},
      {"tracker",
       {"tracker/torch",
        "tracker/core",
        "tracker/attribution",
        "tracker/compiled",
        "tracker/gloo",
        "tracker/collectives",
        "tracker/gpu",
        "tracker/modules",
        "tracker/ops",
        "report/base",
        "report/model",
        "report/ledger_reader",
        "report/json",
        "shim"}},
      {"tracker/compat", {}},
      {"tracker/compat/sys", {}},
      {"tracker/cpython", {}},
      {"tracker/graphs", {"tracker/cpython", "tracker/torch", "tracker/core"}},
      {"tracker/python", {"tracker/cpython", "tracker/graphs", "tracker/torch", "tracker/core"}},
      {"tools/text", {"report/base", "report/model", "report/job"}},
      {"tools/cli",
       {"tools/text", "report/base", "report/model", "report/runs", "report/job", "report/merge", "report/compare"}},
      {"tools/http", {"tools/text", "tools/cli", "report/base"}},
      {"tools/tables", {"tools/text", "report/base", "report/model", "report/json"}},
      {"tools/metrics", {"tools/text", "report/model", "report/merge"}},
      {"tools/show",
       {"tools/text",
        "tools/cli",
        "report/base",
        "report/model",
        "report/json",
        "report/runs",
        "report/job",
        "report/merge"}},
      {"tools/html",
       {"tools/text",
        "tools/cli",
        "report/base",
        "report/json",
        "report/job",
        "report/merge",
        "report/compare",
        "report/advice"}},
      {"tools/run",
       {"tools/text",
        "tools/cli",
        "report/base",
        "report/model",
        "report/runs",
        "report/job",
        "report/merge",
        "report/advice"}},
      {"tools/doctor",
       {"tools/text",
        "tools/cli",
        "tools/run",
        "report/base",
        "report/model",
        "report/ledger",
        "report/json",
        "report/runs",
        "shim"}},
      {"tools/demo", {"tools/cli", "tools/run", "tools/doctor", "report/base"}},
      {"tools/prune", {"tools/text", "tools/cli", "report/base", "report/json", "report/runs"}},
      {"tools/build_tracker", {"tools/cli", "tools/run", "tools/doctor", "report/base", "shim"}},
      {"tools/plan",
       {"tools/text",
        "tools/cli",
        "tools/run",
        "tools/doctor",
        "report/base",
        "report/model",
        "report/json",
        "report/runs",
        "report/job",
        "report/merge",
        "report/compare"}},
      {"tools/job",
       {"tools/text",
        "tools/cli",
        "tools/show",
        "tools/hosts",
        "report/base",
        "report/json",
        "report/runs",
        "report/job",
        "report/merge",
        "report/compare",
        "report/advice"}},
      {"tools/export",
       {"tools/text",
        "tools/cli",
        "tools/run",
        "tools/tables",
        "tools/metrics",
        "report/base",
        "report/model",
        "report/runs",
        "report/job",
        "report/merge"}},
      {"tools/live",
       {"tools/text",
        "tools/html",
        "report/base",
        "report/model",
        "report/ledger_reader",
        "report/json",
        "report/runs",
        "report/job",
        "report/merge"}},
      {"tools/hosts",
       {"tools/text",
        "tools/cli",
        "tools/http",
        "tools/live",
        "report/base",
        "report/model",
        "report/json",
        "report/runs",
        "report/merge"}},
      {"tools/why",
       {"tools/text",
        "tools/cli",
        "tools/http",
        "tools/live",
        "tools/hosts",
        "report/base",
        "report/model",
        "report/json",
        "report/hang"}},
      {"tools/serve",
       {"tools/text",
        "tools/cli",
        "tools/http",
        "tools/metrics",
        "tools/html",
        "tools/live",
        "tools/hosts",
        "tools/why",
        "report/base",
        "report/model",
        "report/job",
        "report/hang",
        "report/merge"}},
      {"tools/top",
       {"tools/text",
        "tools/cli",
        "tools/show",
        "tools/live",
        "tools/hosts",
        "tools/why",
        "report/base",
        "report/model",
        "report/hang"}},
      {"tools/docs",
       {"tools/cli",
        "tools/tables",
        "tools/metrics",
        "tools/doctor",
        "report/base",
        "report/model",
        "report/json",
        "report/job",
        "report/advice",
        "report/hang"}},
      {"tools",
       {"tools/build_tracker",
        "tools/cli",
        "tools/demo",
        "tools/docs",
        "tools/doctor",
        "tools/export",
        "tools/html",
        "tools/job",
        "tools/plan",
        "tools/prune",
        "tools/run",
        "tools/serve",
        "tools/show",
        "tools/top",
        "tools/why"}},
  };
  return table;
}

bool isSource(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".cc" || path.extension() == ".c";
}

std::vector<std::string> includesOf(const std::string& text) {
  const std::string start = "#include \"";
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) {
      found.push_back(line.substr(start.size(), line.find('"', start.size()) - start.size()));
    }
  }
  return found;
}

/// Appends the forbidden includes of a file to `wrong`, or the file itself if it belongs to no room.
void checkFile(const std::string& file, const std::string& text, std::vector<std::string>& wrong) {
  const std::string room = fs::path(file).parent_path().string();
  const auto entry = allowed().find(room);
  if (entry == allowed().end()) {
    wrong.push_back(file + " stands in a room that this table does not have");
    return;
  }
  for (const std::string& include : includesOf(text)) {
    const std::string target = fs::path(include).parent_path().string();
    if (target != room && !entry->second.contains(target)) {
      wrong.push_back(file + " includes " + include);
    }
  }
}

bool reaches(const std::string& from, const std::string& to, Rooms& seen) {
  for (const std::string& next : allowed().at(from)) {
    if (next == to || (seen.insert(next).second && reaches(next, to, seen))) {
      return true;
    }
  }
  return false;
}

/// Calls visit(path below the root, path) for each source of the product.
template <typename Visit>
void visitSources(const Visit& visit) {
  const fs::path root = COMMTAP_SOURCE_ROOT;
  for (const char* part : {"shim", "report", "tracker", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
      const fs::path file = fs::relative(entry.path(), root);
      if (isSource(file) && file.parent_path().filename() != "pch") {
        visit(file, entry.path());
      }
    }
  }
}

TEST_CASE("rooms: no source includes a header of a forbidden room") {
  std::vector<std::string> wrong;
  size_t files = 0;
  visitSources([&](const fs::path& file, const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    checkFile(file.string(), text.str(), wrong);
    ++files;
  });
  CHECK(files > 400);
  for (const std::string& each : wrong) {
    FAIL_CHECK(each);
  }
}

TEST_CASE("rooms: a newcomer reads a room's list of files at a glance") {
  constexpr size_t kMostFiles = 35;
  std::map<std::string, size_t> files;
  visitSources([&](const fs::path& file, const fs::path&) { ++files[file.parent_path().string()]; });
  for (const auto& [room, count] : files) {
    CHECK_MESSAGE(count <= kMostFiles, room);
  }
}

TEST_CASE("rooms: a dependency that is not in the table is found") {
  std::vector<std::string> wrong;
  checkFile(
      "report/model/x.cc",
      "#include \"report/ledger_reader/ledger_reader.h\"\n#include \"report/model/model.h\"\n",
      wrong);
  checkFile("report/nowhere/x.cc", "", wrong);
  CHECK(wrong.size() == 2);
}

TEST_CASE("rooms: the allowed dependencies have no cycle") {
  for (const auto& [room, _] : allowed()) {
    Rooms seen;
    CHECK_MESSAGE(!reaches(room, room, seen), room);
  }
}

} // namespace
} // namespace commtap
