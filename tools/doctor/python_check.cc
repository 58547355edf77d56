// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/python_check.h"

#include <string>

#include <fmt/format.h>

namespace commtap {

Diagnosis checkPython(const Result<Interpreter>& interpreter, bool is_assumed) {
  if (!interpreter) {
    return {
        DoctorCheck::kPython,
        Health::kError,
        interpreter.error(),
        "give doctor the command of the job: commtap doctor -- COMMAND"};
  }
  const std::string found =
      fmt::format("{} is {} {}", interpreter->executable, interpreter->implementation, interpreter->version);
  if (interpreter->implementation != "cpython") {
    return {DoctorCheck::kPython, Health::kWarning, found, "use CPython: in others all collectives belong to Global"};
  }
  if (is_assumed) {
    return {
        DoctorCheck::kPython,
        Health::kWarning,
        found + ", which doctor assumes because the command names no Python",
        "give doctor the command that starts Python"};
  }
  return {DoctorCheck::kPython, Health::kOk, found};
}

Diagnosis checkTorch(const Result<TorchFiles>& torch, bool is_forced, bool has_own_tracker) {
  if (!torch) {
    return {
        DoctorCheck::kTorch,
        Health::kError,
        torch.error(),
        "install torch there, or give doctor the command of a Python that has it"};
  }
  if (torch->version.empty()) {
    return {
        DoctorCheck::kTorch,
        Health::kError,
        unknownVersionText(*torch) + ", so nothing is counted",
        "install a release of torch there"};
  }
  const std::string found = fmt::format("torch {} in {}", torch->version, torch->folder());
  if (torch->is_release || has_own_tracker) {
    return {DoctorCheck::kTorch, Health::kOk, found};
  }
  if (is_forced) {
    return {DoctorCheck::kTorch, Health::kWarning, found + " is not a release; COMMTAP_TORCH=force accepts it"};
  }
  return {
      DoctorCheck::kTorch,
      Health::kError,
      found + " is not a release, and its classes may have another layout: nothing is counted",
      "use a release, make a tracker for it (commtap build-tracker), or try COMMTAP_TORCH=force"};
}

} // namespace commtap
