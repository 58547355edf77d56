// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/interpreter.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "report/base/file_descriptor.h"
#include "report/base/text_file.h"
#include "shim/torch_version.h"
#include "tools/run/environment.h"

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

namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr size_t kMaxShebang = 4096; ///< bytes; the kernel reads less

std::string nameOfFile(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Returns whether a program is called like an interpreter: python, python3, python3.13t, pypy3.
bool isPythonName(const std::string& name) {
  for (const std::string_view start : {"python", "pypy"}) {
    if (name.starts_with(start) && name.find_first_not_of("0123456789.td", start.size()) == std::string::npos) {
      return true;
    }
  }
  return false;
}

bool isProgramFile(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// Splits a line at blanks; a word may be in quotes.
std::vector<std::string> wordsOf(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const bool is_quoted = line.starts_with('"') || line.starts_with('\'');
    const size_t start = is_quoted ? 1 : 0;
    const size_t end = is_quoted ? line.find(line[0], start) : line.find_first_of(kBlanks);
    if (!line.empty()) {
      words.emplace_back(line.substr(start, end - start));
    }
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return words;
}

/// Returns the program that `env` in a first line runs: the first word after its options and variables.
std::string programOfEnv(const std::vector<std::string>& words, const Environment& environment) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with('-') && words[i].find('=') == std::string::npos) {
      return findOnPath(words[i], environment);
    }
  }
  return {};
}

/// Returns the Python that runs a file: the file itself, or the interpreter of a script.
std::string pythonOf(const std::string& path, const Environment& environment) {
  if (path.empty() || isPythonName(nameOfFile(path))) {
    return path;
  }
  const std::string interpreter = interpreterOf(path, environment);
  return isPythonName(nameOfFile(interpreter)) ? interpreter : "";
}

} // namespace

std::string findOnPath(const std::string& name, const Environment& environment) {
  if (name.find('/') != std::string::npos) {
    return isProgramFile(name) ? name : "";
  }
  const std::string folders = environment.get("PATH");
  for (size_t start = 0; start <= folders.size() && !name.empty();) {
    const size_t end = std::min(folders.find(':', start), folders.size());
    const std::string path = (start == end ? "." : folders.substr(start, end - start)) + "/" + name;
    if (isProgramFile(path)) {
      return path;
    }
    start = end + 1;
  }
  return {};
}

std::string interpreterOf(const std::string& path, const Environment& environment) {
  constexpr std::string_view kLongPath = "'''exec' "; // sh runs this line, Python takes it for a string
  std::error_code error;
  const Result<std::string> start = readStartOfFile(std::filesystem::canonical(path, error), kMaxShebang);
  if (!start || !start->starts_with("#!")) {
    return {};
  }
  const std::string_view text = *start;
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view second = text.substr(std::min(end + 1, text.size()));
  if (second.starts_with(kLongPath)) {
    const std::vector<std::string> words =
        wordsOf(second.substr(kLongPath.size(), second.find('\n') - kLongPath.size()));
    return words.empty() ? "" : words[0];
  }
  const std::vector<std::string> words = wordsOf(text.substr(2, end - 2));
  if (words.empty()) {
    return {};
  }
  return nameOfFile(words[0]) == "env" ? programOfEnv(words, environment) : words[0];
}

JobProgram findJobProgram(const std::vector<std::string>& command, const Environment& environment) {
  for (size_t i = 0; i < command.size(); ++i) {
    const bool is_option = i > 0 && command[i].starts_with('-');
    const std::string path = is_option ? "" : findOnPath(command[i], environment);
    if (const std::string python = pythonOf(path, environment); !python.empty()) {
      return {{command.begin(), command.begin() + static_cast<std::ptrdiff_t>(i)}, path, python};
    }
  }
  return {{}, command.empty() ? "" : findOnPath(command[0], environment), ""};
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kExitNotStarted = 127;

[[noreturn]] void execute(char* const* arguments, char* const* variables, int out, int err) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int null = open("/dev/null", O_RDONLY | O_CLOEXEC); null >= 0) {
    dup2(null, STDIN_FILENO);
  }
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execvpe(arguments[0], arguments, variables);
  const char* reason = std::strerror(errno);
  const bool written = ::write(STDERR_FILENO, reason, std::strlen(reason)) > 0;
  _exit(written ? kExitNotStarted : kExitNotStarted - 1);
}

/// Waits for the child; returns false if the deadline passes first. Polls: pidfd_open() needs Linux 5.3.
bool waitUntil(pid_t child, Clock::time_point deadline, int& status) {
  constexpr timespec kPause = {0, 2'000'000};
  pid_t ended = waitpid(child, &status, WNOHANG);
  while (ended == 0 || (ended < 0 && errno == EINTR)) {
    if (Clock::now() >= deadline) {
      return false;
    }
    nanosleep(&kPause, nullptr);
    ended = waitpid(child, &status, WNOHANG);
  }
  return true;
}

std::string contentOf(int fd) {
  std::string text(kMaxChildOutput, '\0');
  const ssize_t count = pread(fd, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return text;
}

} // namespace

ChildOutcome
runChild(const std::vector<std::string>& command, const Environment& environment, std::chrono::milliseconds limit) {
  // Files instead of pipes: a child that is not read from, or that leaves its pipes to a daemon, cannot block us.
  const FileDescriptor out(memfd_create("commtap-out", MFD_CLOEXEC));
  const FileDescriptor err(memfd_create("commtap-err", MFD_CLOEXEC));
  const std::vector<char*> arguments = execPointers(command);
  const std::vector<char*> variables = execPointers(environment.variables());
  const Clock::time_point deadline = Clock::now() + limit;
  ChildOutcome outcome;
  const pid_t child = fork();
  if (child == 0) {
    execute(arguments.data(), variables.data(), out.get(), err.get());
  }
  if (child < 0) {
    outcome.wait_status = -1;
    outcome.err = std::strerror(errno);
    return outcome;
  }
  outcome.timed_out = !waitUntil(child, deadline, outcome.wait_status);
  kill(-child, SIGKILL);
  if (outcome.timed_out) {
    kill(child, SIGKILL); // it may not have made its process group yet
    waitpid(child, &outcome.wait_status, 0);
  }
  outcome.out = contentOf(out.get());
  outcome.err = contentOf(err.get());
  return outcome;
}

std::string lastLine(const std::string& text) {
  const std::string trimmed = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  return trimmed.substr(trimmed.rfind('\n') + 1); // npos + 1 is 0: the first line
}

} // namespace commtap
