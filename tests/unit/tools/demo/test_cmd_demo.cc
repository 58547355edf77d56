// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/demo/cmd_demo.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

/// An installation with a demo, and a Python that answers as one with or without torch.
class DemoFixture : public Installation {
 public:
  DemoFixture() {
    const std::string share = exe().substr(0, exe().rfind("/bin/")) + "/share/commtap";
    std::filesystem::create_directories(share);
    writeText(share + "/demo.py", "");
  }
  /// Runs the demo with a Python that has this torch, and writes the sample reports instead of training.
  Outcome run(const std::string& torch) const {
    writeText(
        folder_ / "python",
        "#!/bin/sh\n[ \"$1\" = -c ] || { " + makeReport(0) + makeReport(1) + makeReport(2) + makeReport(3) +
            " echo trained \"$@\"; exit; }\necho 'commtap-doctor {\"executable\": \"/p\", \"program\": \"/p\", "
            "\"version\": \"3.11.2\", \"implementation\": \"cpython\", \"gil\": true, \"torch\": \"" +
            torch + "\", \"nvidia\": []}'\n");
    chmod((folder_ / "python").c_str(), 0755);
    return runProgram({exe(), "demo", "--python", folder_ / "python", "--out", out()});
  }
  std::string python() const {
    return folder_ / "python";
  }

 private:
  TempFolder folder_;
};

TEST_CASE("the demo is found in a build folder and in an installation") {
  for (const char* place : {"bin/demo/demo.py", "share/commtap/demo.py"}) {
    const TempFolder folder;
    std::filesystem::create_directories(std::filesystem::path(folder / place).parent_path());
    writeText(folder / place, "");
    CHECK(*findDemo(folder / "bin") == folder / place);
  }
  const TempFolder empty;
  CHECK(has(findDemo(empty / "bin").error(), "demo.py was not found at any of " + (empty / "bin/demo/demo.py")));
}

TEST_CASE_FIXTURE(DemoFixture, "demo trains, shows and writes the page, and prints each command") {
  const Outcome outcome = run("/torch");
  CHECK(outcome.status() == 0);
  CHECK(has(outcome.out, "trained -m torch.distributed.run --standalone --nproc-per-node 4 "));
  CHECK(has(outcome.out, "share/commtap/demo.py\n"));
  CHECK(has(outcome.err, "$ commtap run --out " + out() + " -- " + python() + " -m torch.distributed.run"));
  CHECK(has(outcome.err, "$ commtap show --rank 0 " + out() + "\n"));
  CHECK(has(outcome.err, "$ commtap html " + out() + " -o " + out() + "/report.html\n"));
  CHECK(has(outcome.err, "commtap: the page of this run: " + out() + "/report.html"));
  CHECK(has(readText(out() + "/report.html"), "<html"));
}

TEST_CASE_FIXTURE(DemoFixture, "a Python without torch is one line with what to do") {
  const Outcome outcome = run("");
  CHECK(outcome.status() == 1);
  CHECK(outcome.out.empty());
  CHECK(
      outcome.err == "commtap: " + python() +
                         " has no torch: install it there (pip install torch), or give another one: "
                         "commtap demo --python PATH\n");
}

TEST_CASE_FIXTURE(DemoFixture, "a missing Python is one line with what to do") {
  const Outcome outcome = runProgram({exe(), "demo", "--python", "/nowhere/python"});
  CHECK(outcome.status() == 1);
  CHECK(has(outcome.err, "commtap: /nowhere/python was not found: activate"));
}

} // namespace
} // namespace commtap
