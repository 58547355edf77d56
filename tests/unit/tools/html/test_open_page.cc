// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/html_page.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// Waits until a program that its parent does not wait for has written a file.
std::string textOf(const std::string& path) {
  for (int i = 0; i < 500 && !fs::exists(path); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return fs::exists(path) ? readText(path) : "";
}

/// Adds a program that writes its last argument to a file.
void addProgram(const TempFolder& folder, const char* name) {
  const std::string path = folder / name;
  writeText(
      path,
      "#!/bin/sh\nfor word; do :; done\necho $word > " + (folder / "part") + "\nmv " + (folder / "part") + " " +
          (folder / name) + "-opened\n");
  fs::permissions(path, fs::perms::owner_all);
}

/// Writes a page and opens it, with programs from `path`. A variable names the display.
Outcome open(const SampleFolder& reports, const std::string& page, const std::string& path, const char* display) {
  return runProgram(
      {"/usr/bin/env", "PATH=" + path, display, COMMTAP_EXE, "html", reports.path(), "--open", "-o", page});
}

TEST_CASE("html --open has the desktop open the page") {
  const SampleFolder reports;
  const TempFolder folder;
  addProgram(folder, "xdg-open");
  const std::string page = folder / "page.html";
  CHECK(open(reports, page, folder.path() + ":/usr/bin:/bin", "DISPLAY=:0").status() == 0);
  CHECK(textOf(folder / "xdg-open-opened") == page + "\n");
}

TEST_CASE("html --open without xdg-open asks Python") {
  const SampleFolder reports;
  const TempFolder folder;
  addProgram(folder, "python3");
  fs::create_symlink("/bin/mv", folder / "mv");
  const std::string page = folder / "page.html";
  CHECK(open(reports, page, folder.path(), "BROWSER=b").status() == 0);
  CHECK(textOf(folder / "python3-opened") == page + "\n");
}

TEST_CASE("html --open without a display prints the path and does not fail") {
  const SampleFolder reports;
  const TempFolder folder;
  const std::string page = folder / "page.html";
  const Outcome outcome = runCommtap({"html", reports.path(), "--open", "-o", page});
  CHECK(outcome.status() == 0);
  CHECK(outcome.out.ends_with("\n" + page + "\n"));
  CHECK(runCommtap({"html", reports.path(), "--open", "-o", "-"}).status() == 2);
}

} // namespace
} // namespace commtap
