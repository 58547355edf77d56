// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "report/base/atomic_file.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

/// An installation with sources, a Python that answers as one with torch, and a compiler that copies its command.
class BuildFixture : public Installation {
 public:
  BuildFixture() {
    const std::string root = exe().substr(0, exe().rfind("/bin/"));
    write(
        root + "/share/commtap/tracker/sources.json",
        R"({"defines": ["-DA"], "units": [["a.cc"]], "c_files": ["d.c"], "exports": "e.map"})");
    write(root + "/lib/commtap/trackers/python/libcommtap-python-3.11.so", "part");
    write(torch() + "/lib/libtorch_cpu.so", "");
    write(torch() + "/version.py", "__version__ = '2.14.0a0+nv'\n");
    write(torch() + "/include/ATen/core/dispatch/Dispatcher.h", "");
    program(
        "python3.11",
        "echo 'commtap-doctor {\"executable\": \"/p\", \"program\": \"/p\", \"version\": \"3.11.2\", "
        "\"implementation\": \"cpython\", \"gil\": true, \"torch\": \"" +
            torch() + "\", \"nvidia\": []}'");
    program("c++", "for word; do [ \"$last\" = -o ] && echo \"$@\" > \"$word\"; last=$word; done");
  }
  std::string torch() const {
    return folder_ / "torch";
  }
  std::string tracker() const {
    return folder_ / "cache/commtap/trackers-" COMMTAP_VERSION "/libcommtap-tracker-2.14.0a0+nv.so";
  }
  std::string programs() const {
    return folder_ / "programs";
  }
  void program(const std::string& name, const std::string& text) const {
    write(programs() + "/" + name, "#!/bin/sh\n" + text + "\n");
    chmod((programs() + "/" + name).c_str(), 0755);
  }
  Outcome build(Words more = {}) const {
    Words command = {exe(), "build-tracker"};
    command.insert(command.end(), more.begin(), more.end());
    command.insert(command.end(), {"--", programs() + "/python3.11"});
    return runProgram(command, {"XDG_CACHE_HOME=" + (folder_ / "cache"), "CXX=" + programs() + "/c++"});
  }

 private:
  static void write(const std::string& path, const std::string& text) {
    REQUIRE(makeFolders(path.substr(0, path.rfind('/'))).empty());
    writeText(path, text);
  }
  TempFolder folder_;
};

TEST_CASE_FIXTURE(BuildFixture, "a tracker is built for the torch of a Python, and put where the stub looks") {
  const Outcome outcome = build({"--jobs", "2"});
  CHECK(
      outcome.err == "commtap: compiling a tracker for torch 2.14.0a0+nv with " + programs() +
                         "/c++: this takes minutes\ncommtap: built " + tracker() + ": check it with commtap doctor\n");
  CHECK(outcome.status() == 0);
  CHECK(has(readText(tracker()), "-L" + torch() + "/lib")); // the link's own command
  const std::string folder = tracker().substr(0, tracker().rfind('/'));
  CHECK(namesIn(folder) == Words{"libcommtap-tracker-2.14.0a0+nv.so", "python"});
  CHECK(namesIn(folder + "/python") == Words{"libcommtap-python-3.11.so"});
}

TEST_CASE_FIXTURE(BuildFixture, "what is missing is named: compiler, torch, headers, sources") {
  Outcome outcome = build({"--compiler", "no-such-compiler"});
  CHECK(has(outcome.err, "there is no C++ compiler no-such-compiler: install one (Debian: g++)"));
  CHECK(outcome.status() == 1);
  std::filesystem::remove_all(torch() + "/include");
  CHECK(has(build().err, torch() + "/include has no headers of torch"));
  std::filesystem::remove_all(torch());
  CHECK(has(build().err, torch() + " has no lib/libtorch_cpu.so"));
  program("python3.11", "exit 3");
  CHECK(build().status() == 1);
  std::filesystem::remove_all(exe().substr(0, exe().rfind("/bin/")) + "/share");
  CHECK(has(build().err, "share/commtap/tracker has no sources"));
}

TEST_CASE_FIXTURE(BuildFixture, "a compiler that fails leaves no tracker, and its messages are shown") {
  program("c++", "echo 'a.cc:1: error: no such type' >&2; exit 1");
  const Outcome outcome = build();
  CHECK(outcome.status() == 1);
  CHECK(has(outcome.err, "commtap: " + programs() + "/c++ failed:\n"));
  CHECK(has(outcome.err, "\na.cc:1: error: no such type\n"));
  CHECK(namesIn(tracker().substr(0, tracker().rfind('/'))).empty());
}

} // namespace
} // namespace commtap
