// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/command_check.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <sys/stat.h>

#include "tests/unit/samples.h"
#include "tests/unit/tools/command/elf_sample.h"

namespace commtap {
namespace {

/// A folder of programs, each a dynamically linked one unless its test replaces it.
class CommandFixture {
 public:
  CommandFixture() {
    environment.set("PATH", folder.path());
    for (const char* name : {"python", "env", "srun", "docker", "sudo", "launcher"}) {
      add(name, {0, "/lib64/ld-linux-x86-64.so.2", {}, {}, {}});
    }
  }
  void add(const std::string& name, const ElfSample& sample, mode_t mode = 0755) {
    writeText(folder / name, sample.bytes());
    chmod((folder / name).c_str(), mode);
  }
  Diagnosis check(const std::vector<std::string>& command) const {
    return checkCommand(command, findJobProgram(command, environment), environment);
  }
  bool mayRun(const std::vector<std::string>& command) const {
    return mayRunWrapper(findJobProgram(command, environment).wrapper, environment);
  }

  TempFolder folder;
  Environment environment{nullptr};
};

TEST_CASE_FIXTURE(CommandFixture, "a program that is linked dynamically is good") {
  const Diagnosis plain = check({"python", "x.py"});
  CHECK(plain.health == Health::kOk);
  CHECK(plain.found == folder / "python");
  const Diagnosis wrapped = check({"env", "A=1", "python", "x.py"});
  CHECK(wrapped.health == Health::kOk);
  CHECK(wrapped.found == folder / "python, started by env");
  CHECK(mayRun({"env", "A=1", "python"}));
}

TEST_CASE_FIXTURE(CommandFixture, "a missing, static, privileged or foreign program is an error") {
  CHECK(check({"nothing"}).health == Health::kError);
  CHECK(check({"nothing"}).found == "nothing is not a program on the PATH");
  CHECK(check({"numactl", "python"}).found == "numactl is not a program on the PATH");
  add("job", {});
  CHECK(has(check({"job"}).found, "is statically linked"));
  add("job", {0, "/lib/ld.so", {}, {}, {}}, 04755);
  CHECK(has(check({"job"}).found, "is setuid"));
  add("job", {EM_386, "/lib/ld.so", {}, {}, {}});
  CHECK(has(check({"job"}).found, "32 bits"));
  for (const char* todo : {"nothing", "job"}) {
    CHECK_FALSE(check({todo}).todo.empty());
    CHECK(check({todo}).health == Health::kError);
  }
}

TEST_CASE_FIXTURE(CommandFixture, "a script is judged by its interpreter") {
  add("python", {});
  writeText(folder / "torchrun", "#!" + (folder / "python") + "\n");
  chmod((folder / "torchrun").c_str(), 0755);
  const Diagnosis diagnosis = check({"torchrun", "x.py"});
  CHECK(diagnosis.health == Health::kError);
  CHECK(has(diagnosis.found, folder / "python is statically linked"));
}

TEST_CASE_FIXTURE(CommandFixture, "a launcher that goes elsewhere is a warning, and doctor does not start it") {
  for (const auto& [name, todo] :
       {std::pair("srun", "check there: srun ... commtap doctor -- COMMAND"),
        std::pair("docker", "install commtap there, and put it behind: docker ... commtap run -- COMMAND"),
        std::pair("launcher", "check behind it: launcher ... commtap doctor -- COMMAND")}) {
    const Diagnosis diagnosis = check({name, "-n", "2", "python", "x.py"});
    CHECK(diagnosis.health == Health::kWarning);
    CHECK(diagnosis.todo == todo);
    CHECK_FALSE(mayRun({name, "-n", "2", "python"}));
  }
}

TEST_CASE_FIXTURE(CommandFixture, "a launcher that removes LD_PRELOAD is an error") {
  CHECK(check({"srun", "--export=NONE", "python"}).health == Health::kError);
  CHECK(check({"srun", "--export=ALL,A=1", "python"}).health == Health::kWarning);
  add("sudo", {0, "/lib/ld.so", {}, {}, {}}, 04755);
  const Diagnosis sudo = check({"sudo", "-E", "python", "x.py"});
  CHECK(sudo.health == Health::kError);
  CHECK(has(sudo.found, folder / "sudo is setuid"));
  CHECK(has(sudo.todo, "sudo ... commtap run -- COMMAND"));
  CHECK_FALSE(mayRun({"env", "sudo", "python"}));
}

} // namespace
} // namespace commtap
