// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"
#include "tests/unit/tools/command/elf_sample.h"

namespace commtap {
namespace {

Interpreter cpython() {
  Interpreter interpreter;
  interpreter.executable = "/v/bin/python";
  interpreter.version = "3.13.2";
  interpreter.implementation = "cpython";
  return interpreter;
}

TEST_CASE("CPython is good, and a warning if the command does not name it") {
  CHECK(checkPython(cpython(), false).health == Health::kOk);
  CHECK(checkPython(cpython(), false).found == "/v/bin/python is cpython 3.13.2");
  CHECK(checkPython(cpython(), true).health == Health::kWarning);
}

TEST_CASE("an interpreter that does not answer is an error") {
  const Diagnosis failed = checkPython(Result<Interpreter>::failure("python cannot be asked: no answer"), false);
  CHECK(failed.health == Health::kError);
  CHECK(failed.found == "python cannot be asked: no answer");
}

TEST_CASE("another implementation than CPython is a warning") {
  Interpreter pypy;
  pypy.implementation = "pypy";
  CHECK(checkPython(pypy, false).health == Health::kWarning);
}

TEST_CASE("a release of torch is good") {
  CHECK(checkTorch(TorchFiles{"/t/lib/libtorch_cpu.so", "2.13.0", "2.13", true}, false, false).health == Health::kOk);
}

TEST_CASE("a torch that is not a release is an error, unless it is forced or has a tracker of its own") {
  const TorchFiles torch = {"/t/lib/libtorch_cpu.so", "2.14.0a0+git1234567", "2.14", false};
  const Diagnosis diagnosis = checkTorch(torch, false, false);
  CHECK(diagnosis.health == Health::kError);
  CHECK(diagnosis.found.find(torch.version) != std::string::npos);
  CHECK(diagnosis.todo.find("COMMTAP_TORCH=force") != std::string::npos);
  CHECK(checkTorch(torch, true, false).health == Health::kWarning);
  CHECK(checkTorch(torch, false, true).health == Health::kOk);
}

TEST_CASE("a torch that is missing is an error") {
  const Diagnosis missing = checkTorch(Result<TorchFiles>::failure("this Python has no torch"), false, false);
  CHECK(missing.found == "this Python has no torch");
  CHECK(missing.health == Health::kError);
}

TEST_CASE("a torch whose version no file holds is an error, and doctor does not say to install it") {
  const TorchFiles torch = {"/t/lib/libtorch_cpu.so", "", "", false};
  const Diagnosis diagnosis = checkTorch(torch, false, false);
  CHECK(diagnosis.health == Health::kError);
  CHECK(diagnosis.found == unknownVersionText(torch) + ", so nothing is counted");
  CHECK(diagnosis.todo == "install a release of torch there");
}

/// An installation with one tracker and one Python part.
class InstallationFixture {
 public:
  InstallationFixture() {
    put("lib/libcommtap.so");
    put("lib/trackers/libcommtap-tracker-2.13.so");
    put("lib/trackers/python/libcommtap-python-3.11.so");
  }
  void put(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    writeText(folder / name, "");
  }

  TempFolder folder;
  std::string library = folder / "lib/libcommtap.so";
  std::string tracker = folder / "lib/trackers/libcommtap-tracker-2.13.so";
};

/// A release of a minor.
TorchFiles torchOf(const std::string& minor) {
  return {.cpu_library = "/torch/lib/libtorch_cpu.so", .version = minor + ".1+cpu", .minor = minor, .is_release = true};
}

TEST_CASE_FIXTURE(InstallationFixture, "the tracker of the torch minor is found, and another one named as missing") {
  const Diagnosis good = checkTracker(library, torchOf("2.13"));
  CHECK(good.health == Health::kOk);
  CHECK(good.found == tracker + ", because torch is 2.13");
  put("lib/trackers/libcommtap-tracker-2.11.so");
  const Diagnosis missing = checkTracker(library, torchOf("2.12"));
  CHECK(missing.health == Health::kError);
  CHECK(missing.found == "no tracker for torch 2.12 is installed next to " + library + ", only: 2.11, 2.13");
  std::filesystem::remove_all(folder / "lib/trackers");
  CHECK(has(checkTracker(library, torchOf("2.13")).found, "only: none"));
}

TEST_CASE_FIXTURE(InstallationFixture, "the tracker of a build folder is found") {
  put("build/shim/libcommtap.so");
  put("build/tracker/libcommtap-tracker-2.13.so");
  put("build/tracker/python/libcommtap-python-3.12.so");
  const std::string built = folder / "build/tracker/libcommtap-tracker-2.13.so";
  CHECK(findTracker(folder / "build/shim/libcommtap.so", torchOf("2.13")) == built);
  CHECK(findPythonPart(built, "3.12") == folder / "build/tracker/python/libcommtap-python-3.12.so");
  CHECK(has(checkTracker(folder / "build/shim/libcommtap.so", torchOf("2.12")).found, ", only: 2.13"));
}

TEST_CASE_FIXTURE(
    InstallationFixture,
    "a tracker that the user built for this torch comes first, if it may be loaded") {
  REQUIRE(setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1) == 0);
  const mode_t before = umask(077);
  put("cache/commtap/trackers-" COMMTAP_VERSION "/libcommtap-tracker-2.13.1+cpu.so");
  umask(before);
  const std::string built = folder / "cache/commtap/trackers-" COMMTAP_VERSION "/libcommtap-tracker-2.13.1+cpu.so";
  CHECK(hasBuiltTracker(torchOf("2.13")));
  CHECK_FALSE(hasBuiltTracker(torchOf("2.12")));
  CHECK(findTracker(library, torchOf("2.13")) == built);
  CHECK(checkTracker(library, torchOf("2.13")).found == built + ", because torch is 2.13.1+cpu");
  REQUIRE(chmod(built.c_str(), 0622) == 0);
  CHECK(findTracker(library, torchOf("2.13")) == tracker);
  const Diagnosis refused = checkTracker(library, torchOf("2.13"));
  CHECK(refused.health == Health::kWarning);
  CHECK(has(refused.found, built + " is not loaded, because it or a folder above it is not yours alone"));
  CHECK(has(refused.todo, "commtap build-tracker"));
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE_FIXTURE(InstallationFixture, "the Python part is next to the trackers") {
  CHECK(checkPythonPart(tracker, "3.11").found == folder / "lib/trackers/python/libcommtap-python-3.11.so");
  const Diagnosis missing = checkPythonPart(tracker, "3.13t");
  CHECK(missing.health == Health::kWarning);
  CHECK(has(missing.found, "no part for Python 3.13t"));
}

TEST_CASE_FIXTURE(InstallationFixture, "a file that others can write to is an error with the stub's reason") {
  CHECK(checkPermissions(library, {tracker, ""}).health == Health::kOk);
  chmod(tracker.c_str(), 0666);
  const Diagnosis open = checkPermissions(library, {tracker});
  CHECK(open.health == Health::kError);
  CHECK(open.found == tracker + " would not be loaded, because another user may have put it there");
  CHECK(open.todo == "install commtap where only you or root can write");
}

class LibraryFixture {
 public:
  void put(const std::string& name, const ElfSample& sample) {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    writeText(folder / name, sample.bytes());
  }

  TempFolder folder;
};

TEST_CASE_FIXTURE(LibraryFixture, "torch must define each function of c10d that the stub interposes") {
  put("stub.so", {0, "", {}, {"_ZN4c10d1aEv", "_ZN4c10d1bEv", "dlopen"}, {}});
  put("good.so", {0, "", {}, {"_ZN4c10d1aEv", "_ZN4c10d1bEv", "_ZN4c10d1cEv"}, {}});
  const Diagnosis good = checkSymbols(folder / "stub.so", folder / "good.so");
  CHECK(good.health == Health::kOk);
  CHECK(good.found == "torch has all 2 functions of c10d");
  put("other.so", {0, "", {}, {"_ZN4c10d1aEv"}, {"_ZN4c10d1bEv"}});
  const Diagnosis missing = checkSymbols(folder / "stub.so", folder / "other.so");
  CHECK(missing.health == Health::kWarning);
  CHECK(has(missing.found, "torch lacks _ZN4c10d1bEv"));
  CHECK(checkSymbols(folder / "stub.so", folder / "none.so").health == Health::kError);
}

TEST_CASE_FIXTURE(LibraryFixture, "NCCL is found where torch's wheels have it") {
  CHECK(checkNccl(folder / "lib", {}).found == "this torch has no library for GPUs, and calls no NCCL");
  put("lib/libtorch_cuda.so", {0, "", {"libc10.so", "libnccl.so.2"}, {}, {"ncclAllReduce"}});
  CHECK(has(checkNccl(folder / "lib", {}).found, "libnccl.so.2, which the dynamic linker finds"));
  put("nvidia/nccl/lib/libnccl.so.2", {});
  const Diagnosis wheel = checkNccl(folder / "lib", {folder / "nvidia"});
  CHECK(wheel.health == Health::kOk);
  CHECK(has(wheel.found, folder / "nvidia/nccl/lib/libnccl.so.2"));
  put("lib/libnccl.so.2", {});
  CHECK(has(checkNccl(folder / "lib", {folder / "nvidia"}).found, folder / "lib/libnccl.so.2"));
}

TEST_CASE_FIXTURE(LibraryFixture, "an NCCL inside torch's library is a warning") {
  put("lib/libtorch_cuda.so", {0, "", {"libc10.so"}, {"ncclAllReduce"}, {}});
  const Diagnosis inside = checkNccl(folder / "lib", {});
  CHECK(inside.health == Health::kWarning);
  CHECK(has(inside.found, "NCCL is linked into libtorch_cuda.so"));
}

TEST_CASE_FIXTURE(LibraryFixture, "RCCL is found as NCCL is") {
  put("lib/libtorch_hip.so", {0, "", {"librccl.so.1"}, {}, {}});
  put("lib/librccl.so.1", {});
  CHECK(has(checkNccl(folder / "lib", {}).found, folder / "lib/librccl.so.1"));
}

} // namespace

} // namespace commtap
