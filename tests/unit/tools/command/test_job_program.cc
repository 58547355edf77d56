// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/interpreter.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// A folder of programs, which is the PATH.
class Programs {
 public:
  Programs() : environment_(std::vector<const char*>{nullptr}.data()) {
    environment_.set("PATH", "/nowhere:" + folder_.path());
  }
  std::string add(const std::string& name, const std::string& text) {
    writeText(folder_ / name, text);
    chmod((folder_ / name).c_str(), 0755);
    return folder_ / name;
  }
  const Environment& environment() const {
    return environment_;
  }
  const TempFolder& folder() const {
    return folder_;
  }

 private:
  TempFolder folder_;
  Environment environment_;
};

using Command = std::vector<std::string>;

TEST_CASE("a Python script is run by the Python of its first line") {
  Programs programs;
  const std::string python = programs.add("python3.11", "");
  for (const std::string& line :
       {"#!" + python + "\n",
        "#! " + python + " -I\n",
        std::string("#!/usr/bin/env python3.11\n"),
        std::string("#!/usr/bin/env -S A=1 python3.11 -I\n"),
        "#!/bin/sh\n'''exec' \"" + python + "\" \"$0\" \"$@\"\n' '''\n",
        "#!/bin/sh\n'''exec' " + python + " \"$0\" \"$@\"\n' '''\n"}) {
    const std::string torchrun = programs.add("torchrun", line + "import torch\n");
    const JobProgram program = findJobProgram({"torchrun", "--nproc-per-node", "4", "x.py"}, programs.environment());
    CHECK(program.path == torchrun);
    CHECK_MESSAGE(program.python == python, line);
    CHECK(program.wrapper.empty());
  }
}

TEST_CASE("the words before Python are its wrapper") {
  Programs programs;
  const std::string python = programs.add("python", "");
  programs.add("env", "");
  const JobProgram program =
      findJobProgram({"env", "-u", "LD_PRELOAD", "A=1", "python", "x.py"}, programs.environment());
  CHECK(program.wrapper == Command{"env", "-u", "LD_PRELOAD", "A=1"});
  CHECK(program.path == python);
  CHECK(program.python == python);
}

TEST_CASE("a program that is not Python has no Python, a missing one no path") {
  Programs programs;
  const std::string job = programs.add("job", "#!/bin/bash\npython x.py\n");
  CHECK(findJobProgram({"job"}, programs.environment()).path == job);
  CHECK(findJobProgram({"job"}, programs.environment()).python.empty());
  CHECK(findJobProgram({"none"}, programs.environment()).path.empty());
  CHECK(findJobProgram({}, programs.environment()).path.empty());
  programs.add("pythonic", "");
  CHECK(findJobProgram({"pythonic"}, programs.environment()).python.empty());
}

TEST_CASE("a program must be a file that may be executed; a link to a script is one") {
  Programs programs;
  const std::string script = programs.add("script", "#!/usr/bin/python3\n");
  std::filesystem::create_directory(programs.folder() / "folder");
  writeText(programs.folder() / "text", "");
  CHECK(findOnPath("script", programs.environment()) == script);
  CHECK(findOnPath("folder", programs.environment()).empty());
  CHECK(findOnPath("text", programs.environment()).empty());
  CHECK(findOnPath(script, programs.environment()) == script);
  std::filesystem::create_symlink(script, programs.folder() / "link");
  CHECK(interpreterOf(programs.folder() / "link", programs.environment()) == "/usr/bin/python3");
  CHECK(interpreterOf(programs.add("empty", "#!\n"), programs.environment()).empty());
  CHECK(interpreterOf(
            programs.add(
                "binary",
                "\x7f"
                "ELF"),
            programs.environment())
            .empty());
}

} // namespace
} // namespace commtap
