// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
// Checks every `#include "..."` of the product against the table of rooms in CONTRIBUTING.md, so that no dependency
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

/// Reads "tracker: torch, core; report: model; shim", or "nothing", of a row of CONTRIBUTING.md.
Rooms roomsIn(const std::string& cell) {
  Rooms rooms;
  std::istringstream groups(cell == "nothing" ? "" : cell);
  for (std::string group; std::getline(groups, group, ';');) {
    group.erase(0, group.find_first_not_of(' '));
    const size_t colon = group.find(": ");
    if (colon == std::string::npos) {
      rooms.insert(group);
      continue;
    }
    std::istringstream names(group.substr(colon + 1));
    for (std::string name; std::getline(names, name, ',');) {
      rooms.insert(group.substr(0, colon + 1).replace(colon, 1, "/") + name.substr(1));
    }
  }
  return rooms;
}

/// Reads the table of rooms from a text like CONTRIBUTING.md: a row begins with "| `room` |" and ends with the rooms
/// that the room may include.
std::map<std::string, Rooms> tableOf(std::istream& text) {
  std::map<std::string, Rooms> table;
  std::string line;
  while (std::getline(text, line) && line != "| room | what is in it | may include |") {
  }
  std::getline(text, line); // the rule below the head
  while (std::getline(text, line) && line.starts_with("| `")) {
    const size_t last_cell = line.rfind(" | ") + 3;
    table[line.substr(3, line.find('`', 3) - 3)] = roomsIn(line.substr(last_cell, line.rfind(" |") - last_cell));
  }
  return table;
}

/// Maps a room to the other rooms whose headers it may include.
const std::map<std::string, Rooms>& allowed() {
  static const std::map<std::string, Rooms> table = [] {
    std::ifstream page(COMMTAP_SOURCE_ROOT "/CONTRIBUTING.md");
    return tableOf(page);
  }();
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
    wrong.push_back(file + " is in a folder that is not in the table of rooms in CONTRIBUTING.md");
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

TEST_CASE("rooms: a row of the table names the rooms that a room may include") {
  std::istringstream text(
      "| room | what is in it | may include |\n"
      "|---|---|---|\n"
      "| `shim` | The stub. | nothing |\n"
      "| `tracker/gloo` | Durations. | tracker: torch, core; report: model; shim |\n"
      "\n"
      "| `tests/unit` | doctest |\n");
  const std::map<std::string, Rooms> table = tableOf(text);
  CHECK(table.size() == 2);
  CHECK(table.at("shim").empty());
  CHECK(table.at("tracker/gloo") == Rooms{"tracker/torch", "tracker/core", "report/model", "shim"});
}

TEST_CASE("rooms: each row of the table is a folder") {
  for (const auto& [room, rooms] : allowed()) {
    CHECK_MESSAGE(fs::is_directory(fs::path(COMMTAP_SOURCE_ROOT) / room), room);
    for (const std::string& each : rooms) {
      CHECK_MESSAGE(allowed().contains(each), each);
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

TEST_CASE("rooms: one source includes CLI11, which takes the compiler ten seconds") {
  visitSources([](const fs::path& file, const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    CHECK_MESSAGE((text.str().find("#include <CLI/") != std::string::npos) == (file == "tools/cli/parser.cc"), file);
  });
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
