// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/interpreter.h"

#include <chrono>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "shim/torch_version.h"
#include "tools/command/child_process.h"

namespace commtap {
namespace {

constexpr std::chrono::seconds kAnswerLimit{60}; ///< a cold network file system can take long to start Python
constexpr std::string_view kAnswerMark = "commtap-doctor ";

/// An entry "" of sys.path is the current folder, where a job's script need not be.
constexpr const char* kQuestion = R"(
import importlib.util, json, os, sys, sysconfig
sys.path[:] = [entry for entry in sys.path if entry]
def folders(name):
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    return list(found.submodule_search_locations or []) if found else []
print("commtap-doctor " + json.dumps({
    "executable": sys.executable,
    "program": os.path.realpath("/proc/self/exe"),
    "version": ".".join(map(str, sys.version_info[:3])),
    "implementation": sys.implementation.name,
    "gil": not sysconfig.get_config_var("Py_GIL_DISABLED"),
    "torch": (folders("torch") or [""])[0],
    "nvidia": folders("nvidia"),
    "memory_saver": bool(folders("torch_memory_saver")),
}))
)";

/// Returns why the interpreter did not answer.
std::string whyNoAnswer(const ChildOutcome& outcome) {
  const std::string line = lastLine(outcome.err);
  return outcome.timed_out ? "it took too long" : line.empty() ? "it gave no answer" : line;
}

} // namespace

std::string Interpreter::build() const {
  return version.substr(0, version.rfind('.')) + (has_gil ? "" : "t");
}

Result<Interpreter> interpreterFromJson(const std::string& answer) {
  Interpreter interpreter;
  try {
    const nlohmann::json document = nlohmann::json::parse(answer);
    interpreter.executable = document.at("executable").get<std::string>();
    interpreter.program = document.at("program").get<std::string>();
    interpreter.version = document.at("version").get<std::string>();
    interpreter.implementation = document.at("implementation").get<std::string>();
    interpreter.has_gil = document.at("gil").get<bool>();
    interpreter.torch_folder = document.at("torch").get<std::string>();
    interpreter.nvidia_folders = document.at("nvidia").get<std::vector<std::string>>();
    interpreter.has_memory_saver = document.value("memory_saver", false);
  } catch (const nlohmann::json::exception& error) {
    return Result<Interpreter>::failure(std::string("it gave an unknown answer: ") + error.what());
  }
  return interpreter;
}

Result<Interpreter> askInterpreter(const std::vector<std::string>& command, const Environment& environment) {
  std::vector<std::string> words = command;
  words.insert(words.end(), {"-c", kQuestion});
  const ChildOutcome outcome = runChild(words, environment, kAnswerLimit);
  const size_t mark = outcome.out.rfind(kAnswerMark);
  const Result<Interpreter> interpreter = outcome.succeeded() && mark != std::string::npos
                                              ? interpreterFromJson(outcome.out.substr(mark + kAnswerMark.size()))
                                              : Result<Interpreter>::failure(whyNoAnswer(outcome));
  return interpreter ? interpreter
                     : Result<Interpreter>::failure(command.back() + " cannot be asked: " + interpreter.error());
}

TorchFiles readTorchFiles(const std::string& cpu_library, const std::string& package) {
  TorchFiles torch;
  torch.cpu_library = cpu_library;
  commtap_torch_version found{};
  if (commtap_read_version_of_torch(torch.folder().c_str(), package.empty() ? nullptr : package.c_str(), &found)) {
    torch.version = found.full;
    torch.minor = found.minor;
    torch.is_release = found.is_release;
  }
  return torch;
}

std::string unknownVersionText(const TorchFiles& torch) {
  return "the version of the torch in " + torch.folder() +
         " is unknown: no version.py, build-version or TorchConfigVersion.cmake near libtorch_cpu.so holds it";
}

Result<TorchFiles> findTorchFiles(const std::string& package) {
  if (package.empty()) {
    return Result<TorchFiles>::failure("this Python has no torch");
  }
  // conda's packages have the libraries in the lib folder of the environment.
  for (const char* place : {"/lib", "/../../.."}) {
    const std::string library = package + place + "/libtorch_cpu.so";
    std::error_code error;
    if (std::filesystem::exists(library, error)) {
      return readTorchFiles(std::filesystem::path(library).lexically_normal(), package);
    }
  }
  return Result<TorchFiles>::failure(package + " has no lib/libtorch_cpu.so");
}

} // namespace commtap
