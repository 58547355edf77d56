// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <elf.h>
#include <sys/stat.h>

#include <doctest/doctest.h>

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
    REQUIRE(chown((folder / name).c_str(), getuid() + 1, getgid() + 1) == 0); // else no setuid program has privileges
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

Environment environmentOf(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return Environment(variables.data());
}

TEST_CASE("an unknown name says which option was probably meant") {
  const std::vector<Diagnosis> diagnoses = checkOptions(environmentOf({"COMMTAP_OUTT=x", "PATH=/bin"}));
  REQUIRE(diagnoses.size() == 1);
  CHECK(diagnoses[0].health == Health::kWarning);
  CHECK(diagnoses[0].found == "COMMTAP_OUTT is not an option and was ignored");
  CHECK(diagnoses[0].todo.starts_with("did you mean COMMTAP_OUT? "));
}

TEST_CASE("each wrong variable has a line") {
  const std::vector<Diagnosis> diagnoses =
      checkOptions(environmentOf({"COMMTAP_LOG=loud", "COMMTAP_XYZZY=1", "COMMTAP=0"}));
  REQUIRE(diagnoses.size() == 3);
  CHECK(diagnoses[0].health == Health::kError);
  CHECK(diagnoses[0].todo == "unset COMMTAP");
  CHECK(diagnoses[1].found == "COMMTAP_LOG=loud is invalid and was ignored");
  CHECK(diagnoses[1].todo.starts_with("it must be off, error, warning, info or debug"));
  CHECK(diagnoses[2].todo.starts_with("the options are COMMTAP"));
}

TEST_CASE("good options are one good line") {
  const std::vector<Diagnosis> diagnoses = checkOptions(environmentOf({"COMMTAP_OUT=out"}));
  REQUIRE(diagnoses.size() == 1);
  CHECK(diagnoses[0].health == Health::kOk);
}

TEST_CASE("other preloads are named, and bad ones are warnings") {
  const TempFolder folder;
  writeText(folder / "libjemalloc.so", "");
  writeText(folder / "libcommtap.so", "");
  const std::string preload =
      "/own/libcommtap.so:" + (folder / "libjemalloc.so") + " /none/x.so:libfirst.so:" + (folder / "libcommtap.so");
  const std::string variable = "LD_PRELOAD=" + preload;
  const std::vector<Diagnosis> diagnoses =
      checkNeighbours(environmentOf({variable.c_str()}), "/own/libcommtap.so", {"python"});
  REQUIRE(diagnoses.size() == 4);
  CHECK(diagnoses[0].health == Health::kOk);
  CHECK(diagnoses[0].found == folder / "libjemalloc.so is preloaded too");
  CHECK(diagnoses[1].health == Health::kWarning);
  CHECK(has(diagnoses[1].found, "/none/x.so in LD_PRELOAD does not exist"));
  CHECK(diagnoses[2].found == "libfirst.so is preloaded too");
  CHECK(diagnoses[3].health == Health::kWarning);
  CHECK(has(diagnoses[3].found, "is another commtap"));
}

TEST_CASE("auditors and profilers are named") {
  const std::vector<Diagnosis> diagnoses = checkNeighbours(
      environmentOf({"LD_AUDIT=/a.so", "NCCL_PROFILER_PLUGIN=inspector"}), "/l.so", {"/opt/nsys", "profile"});
  REQUIRE(diagnoses.size() == 3);
  CHECK(diagnoses[0].health == Health::kWarning);
  CHECK(has(diagnoses[0].found, "LD_AUDIT=/a.so"));
  CHECK(diagnoses[1].health == Health::kOk);
  CHECK(has(diagnoses[1].found, "NCCL_PROFILER_PLUGIN=inspector"));
  CHECK(has(diagnoses[2].found, "/opt/nsys profiles the job"));
  CHECK(checkNeighbours(environmentOf({}), "/l.so", {"python"}).at(0).health == Health::kOk);
  CHECK(checkNeighbours(environmentOf({}), "/l.so", {"python"}, true).at(0).health == Health::kOk);
  const std::vector<Diagnosis> saver =
      checkNeighbours(environmentOf({"LD_PRELOAD=/bin/sh:/l.so"}), "/l.so", {"python"}, true);
  CHECK(saver.back().health == Health::kWarning);
  CHECK(has(saver.back().found, "take LD_PRELOAD for one path"));
}

} // namespace

} // namespace commtap
