// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/interpreter.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

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

} // namespace
} // namespace commtap
