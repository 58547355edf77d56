// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/interpreter.h"

#include <sys/stat.h>

#include <filesystem>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr const char* kAnswer =
    R"({"executable": "/v/bin/python", "program": "/usr/bin/python3.13", "version": "3.13.2", )"
    R"("implementation": "cpython", "gil": true, "torch": "/v/torch", "nvidia": ["/v/nvidia"]})";

/// Writes a program that is called like Python.
std::string fakePython(const TempFolder& folder, const std::string& script) {
  const std::string path = folder / "python3";
  writeText(path, "#!/bin/sh\n" + script + "\n");
  chmod(path.c_str(), 0755);
  return path;
}

TEST_CASE("an interpreter's answer is read") {
  const Result<Interpreter> interpreter = interpreterFromJson(kAnswer);
  REQUIRE(interpreter);
  CHECK(interpreter->executable == "/v/bin/python");
  CHECK(interpreter->build() == "3.13");
  CHECK(interpreter->torch_folder == "/v/torch");
  CHECK(interpreter->nvidia_folders == std::vector<std::string>{"/v/nvidia"});
  Interpreter free_threaded = *interpreter;
  free_threaded.has_gil = false;
  CHECK(free_threaded.build() == "3.13t");
  CHECK_FALSE(interpreterFromJson("no JSON"));
  CHECK_FALSE(interpreterFromJson(R"({"executable": 1})"));
}

TEST_CASE("askInterpreter finds the answer after what the interpreter prints by itself") {
  const TempFolder folder;
  const std::string python = fakePython(folder, std::string("echo hello; echo 'commtap-doctor ") + kAnswer + "'");
  const Result<Interpreter> interpreter = askInterpreter({"/usr/bin/env", python}, Environment(nullptr));
  REQUIRE(interpreter);
  CHECK(interpreter->version == "3.13.2");
}

TEST_CASE("the real Python answers") {
  const char* const variables[] = {"PATH=/usr/bin:/bin", nullptr};
  const Result<Interpreter> interpreter = askInterpreter({"python3"}, Environment(variables));
  REQUIRE(interpreter);
  CHECK(interpreter->version.starts_with("3."));
  CHECK_FALSE(interpreter->program.empty());
}

TEST_CASE("the error of an interpreter that does not answer is its last line") {
  const TempFolder folder;
  const std::string python = fakePython(folder, "echo 'ImportError: no encodings' >&2; exit 1");
  const Result<Interpreter> failed = askInterpreter({python}, Environment(nullptr));
  REQUIRE_FALSE(failed);
  CHECK(failed.error() == python + " cannot be asked: ImportError: no encodings");
  const Result<Interpreter> silent = askInterpreter({fakePython(folder, "true")}, Environment(nullptr));
  CHECK(silent.error() == python + " cannot be asked: it gave no answer");
}

/// A package with a version.
class Package : public TempFolder {
 public:
  explicit Package(const std::string& version) {
    std::filesystem::create_directory(*this / "lib");
    writeText(*this / "lib/libtorch_cpu.so", "");
    if (!version.empty()) {
      writeText(*this / "version.py", "__all__ = ['__version__']\n__version__ = '" + version + "'\ndebug = False\n");
    }
  }
};

TEST_CASE("a release is found with its minor version") {
  for (const char* version : {"2.13.0", "2.13.0+cpu", "2.13.1+cu128", "2.13.0.post1", "2.13.0+rocm7.1.0.lw.git1a2b"}) {
    const Package package(version);
    const Result<TorchFiles> torch = findTorchFiles(package.path());
    REQUIRE(torch);
    CHECK(torch->version == version);
    CHECK(torch->minor == "2.13");
    CHECK(torch->folder() == package / "lib");
    CHECK_MESSAGE(torch->is_release, version);
  }
}

TEST_CASE("what is not a release is found as such") {
  for (const char* version :
       {"2.14.0a0+git1234567", "2.14.0a0+abc.nv25.10", "2.15.0.dev20261001", "2.14.0rc1", "2.14.0+git12", "2.14"}) {
    const Result<TorchFiles> torch = findTorchFiles(Package(version).path());
    REQUIRE(torch);
    CHECK_MESSAGE(!torch->is_release, version);
  }
}

TEST_CASE("a C++ distribution has its version in build-version") {
  const Package package("");
  writeText(package / "build-version", "2.12.1+cpu\n");
  const TorchFiles torch = readTorchFiles(package / "lib/libtorch_cpu.so", "");
  CHECK(torch.version == "2.12.1+cpu");
  CHECK(torch.minor == "2.12");
}

TEST_CASE("the libraries may be in conda's lib folder") {
  const TempFolder conda;
  const std::string package = conda / "lib/python3.11/site-packages/torch";
  std::filesystem::create_directories(package);
  writeText(conda / "lib/libtorch_cpu.so", "");
  writeText(package + "/version.py", "__version__ = '2.13.0.post300'\n");
  const Result<TorchFiles> torch = findTorchFiles(package);
  REQUIRE(torch);
  CHECK(torch->cpu_library == conda / "lib/libtorch_cpu.so");
  CHECK(torch->version == "2.13.0.post300");
}

TEST_CASE("a torch that is missing or incomplete is an error") {
  CHECK(findTorchFiles("").error() == "this Python has no torch");
  const TempFolder empty;
  CHECK(findTorchFiles(empty.path()).error() == empty.path() + " has no lib/libtorch_cpu.so");
}

TEST_CASE("a torch whose version no file holds is there") {
  for (const char* version : {"", "unknown"}) {
    const Package package(version);
    const Result<TorchFiles> torch = findTorchFiles(package.path());
    REQUIRE(torch);
    CHECK(torch->version.empty());
    CHECK(
        has(unknownVersionText(*torch), "the version of the torch in " + package / "lib is unknown: no version.py, "));
  }
}

TEST_CASE("the version is read as the stub reads it") {
  const Package package("");
  writeText(package / "version.py", "__version__: str = \"2.13.1+cu128\"\n");
  CHECK(findTorchFiles(package.path())->version == "2.13.1+cu128");
  writeText(package / "version.py", "__version__ = read_version()\n");
  std::filesystem::create_directories(package / "share/cmake/Torch");
  writeText(package / "share/cmake/Torch/TorchConfigVersion.cmake", "set(PACKAGE_VERSION \"2.12.0\")\n");
  CHECK(findTorchFiles(package.path())->version == "2.12.0");
}

} // namespace

} // namespace commtap
