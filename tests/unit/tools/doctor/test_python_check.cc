// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/python_check.h"

#include <doctest/doctest.h>

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

} // namespace
} // namespace commtap
