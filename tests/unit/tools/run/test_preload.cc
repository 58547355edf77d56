// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/preload.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the first file that is there is taken, and the error names all places") {
  const TempFolder folder;
  const std::vector<std::string> places = {"a/x.py", "../share/x.py"};
  const std::string bin = folder / "bin";
  CHECK(
      findInstalled(bin, places).error() ==
      "x.py was not found at any of " + bin + "/a/x.py, " + (folder / "share/x.py") + ": install commtap again");
  std::filesystem::create_directories(folder / "share/x.py"); // a folder is no file
  CHECK_FALSE(findInstalled(bin, places));
  std::filesystem::create_directories(folder / "bin/a");
  writeText(folder / "bin/a/x.py", "");
  CHECK(*findInstalled(bin, places) == bin + "/a/x.py");
}

namespace fs = std::filesystem;

void put(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  writeText(path, "");
}

TEST_CASE("findLibrary finds the library in a build tree and in an installation") {
  for (const char* place : {"shim", "lib/commtap", "lib/" COMMTAP_MULTIARCH "/commtap", "lib64/commtap"}) {
    const TempFolder folder;
    const std::string library = folder / (std::string(place) + "/libcommtap.so");
    put(library);
    CHECK(*findLibrary(folder / "bin") == fs::canonical(library));
  }
}

TEST_CASE("findLibrary lists the searched paths in its error") {
  const TempFolder folder;
  const std::string error = findLibrary(folder / "bin").error();
  CHECK(error.find("libcommtap.so was not found") == 0);
  CHECK(error.find(folder / "lib/commtap/libcommtap.so") != std::string::npos);
}

TEST_CASE("findLibrary rejects a path that LD_PRELOAD cannot represent") {
  const TempFolder folder;
  put(folder / "a b/shim/libcommtap.so");
  CHECK(findLibrary(folder / "a b/tools").error().find("a space or a colon") != std::string::npos);
}

TEST_CASE("appendPreload appends the library, and only once") {
  CHECK(appendPreload("", "/l.so") == "/l.so");
  CHECK(appendPreload("/a.so", "/l.so") == "/a.so:/l.so");
  CHECK(appendPreload("/a.so /l.so", "/l.so") == "/a.so /l.so");
  CHECK(appendPreload("/l.so:/a.so", "/l.so") == "/l.so:/a.so");
  CHECK(appendPreload("/other/l.so", "/l.so") == "/other/l.so:/l.so");
}

TEST_CASE("appendPreload recognizes the library under another path") {
  const TempFolder folder;
  put(folder / "l.so");
  fs::create_symlink(folder / "l.so", folder / "link.so");
  CHECK(appendPreload(folder / "link.so", folder / "l.so") == folder / "link.so");
}

TEST_CASE("the folder of the executable is an absolute path") {
  CHECK(fs::exists(executableFolder() + "/test_tools"));
}

} // namespace

} // namespace commtap
