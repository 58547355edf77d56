// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "tools/build_tracker/build_plan.h"
#include "tools/cli/output_file.h"
#include "tools/cli/run_note.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/command/elf_file.h"
#include "tools/command/interpreter.h"
#include "tools/run/preload.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAbout =
    "Compiles a tracker for the torch that COMMAND uses: a nightly, a vendor's build, or a release that this commtap\n"
    "has no tracker for. Needs a C++20 compiler and takes minutes. The tracker goes to the user's cache folder, where\n"
    "every later job with exactly this torch finds it. Without COMMAND, takes the torch of the Python that\n"
    "commtap is installed in, else of python3.";
constexpr const char* kExitStatus = "0 built; 1 no torch, no compiler, or the compiler failed; 2 wrong usage.";

struct BuildArguments {
  std::string compiler;
  size_t jobs = std::max(1U, std::thread::hardware_concurrency());
};

Result<TorchToBuildFor> describeTorch(const Result<TorchFiles>& torch, const std::string& headers_above) {
  if (!torch) {
    return Result<TorchToBuildFor>::failure(torch.error());
  }
  if (torch->version.empty()) {
    return Result<TorchToBuildFor>::failure(unknownVersionText(*torch));
  }
  TorchToBuildFor found{torch->version, headers_above + "/include", torch->folder()};
  std::error_code error;
  if (!fs::exists(found.include_folder + "/ATen/core/dispatch/Dispatcher.h", error)) {
    return Result<TorchToBuildFor>::failure(found.include_folder + " has no headers of torch");
  }
  return found;
}

/// Finds the torch that a Python or a program in C++ uses.
Result<TorchToBuildFor> findTorch(std::vector<std::string> command, const Environment& environment) {
  if (command.empty()) {
    command = {ownPython()};
  }
  const JobProgram program = findJobProgram(command, environment);
  if (program.path.empty()) {
    return Result<TorchToBuildFor>::failure(command[0] + " was not found");
  }
  if (program.python.empty()) {
    const std::string library = libraryNamed(librariesAtStart(program.path, environment), "libtorch_cpu.so");
    return library.empty() ? Result<TorchToBuildFor>::failure(program.path + " is no Python program and links no torch")
                           : describeTorch(readTorchFiles(library, ""), library.substr(0, library.rfind('/')) + "/..");
  }
  const Result<Interpreter> interpreter = askInterpreter({program.python}, environment);
  return interpreter ? describeTorch(findTorchFiles(interpreter->torch_folder), interpreter->torch_folder)
                     : Result<TorchToBuildFor>::failure(interpreter.error());
}

/// Returns the words that start the compiler: of the option, $CXX, or the first that is installed.
Result<std::vector<std::string>> findCompiler(const std::string& option, const Environment& environment) {
  const std::string chosen = option.empty() ? environment.get("CXX") : option;
  const std::vector<std::string> names =
      chosen.empty() ? std::vector<std::string>{"c++", "g++", "clang++"} : std::vector<std::string>{chosen};
  for (const std::string& name : names) {
    const std::string path = findOnPath(name, environment);
    if (!path.empty()) {
      return std::vector<std::string>{path};
    }
  }
  return Result<std::vector<std::string>>::failure(fmt::format(
      "there is no C++ compiler {}: install one (Debian: g++), or give its path: --compiler PATH",
      chosen.empty() ? "on the PATH" : chosen));
}

/// Returns the built and installed tracker.
Result<std::string>
build(const BuildArguments& arguments, const std::vector<std::string>& command, const Environment& environment) {
  using Failure = Result<std::string>;
  const Result<std::string> library = findLibrary(executableFolder());
  const Result<std::string> folder = findTrackerSources(executableFolder());
  const Result<TrackerSources> sources =
      folder ? readTrackerSources(*folder) : Result<TrackerSources>::failure(folder.error());
  if (!library || !sources) {
    return Failure::failure(library ? sources.error() : library.error());
  }
  const Result<std::vector<std::string>> compiler = findCompiler(arguments.compiler, environment);
  const Result<TorchToBuildFor> torch =
      compiler ? findTorch(command, environment) : Result<TorchToBuildFor>::failure(compiler.error());
  if (!torch) {
    return Failure::failure(torch.error());
  }
  const Result<TrackerCache> cache = makeTrackerCache(torch->version);
  if (!cache) {
    return Failure::failure(cache.error());
  }
  const TemporaryFolder work(cache->folder() + "/build");
  if (work.path().empty()) {
    return Failure::failure(fmt::format("no folder can be made in {}: {}", cache->folder(), std::strerror(errno)));
  }
  const BuildPlan plan = planBuild(*sources, *torch, *compiler, work.path());
  say(fmt::format("compiling a tracker for torch {} with {}: this takes minutes", torch->version, (*compiler)[0]));
  std::string failure =
      withProgress([&](const auto& progress) { return runBuild(plan, environment, arguments.jobs, progress); });
  if (failure.empty()) {
    failure = installTracker(*cache, plan.output, *library);
  }
  return failure.empty() ? Failure(cache->tracker) : Failure::failure(std::move(failure));
}

/// Prints a failure; what a compiler wrote follows as it is.
void printFailure(const std::string& failure) {
  const size_t end = std::min(failure.find('\n'), failure.size());
  say(failure.substr(0, end));
  fmt::print(stderr, "{}{}", failure.substr(std::min(end + 1, failure.size())), end == failure.size() ? "" : "\n");
}

int buildTracker(const BuildArguments& arguments, const std::vector<std::string>& command) {
  Environment environment(environ);
  environment.unset("LD_PRELOAD");
  const Result<std::string> tracker = build(arguments, command, environment);
  if (!tracker) {
    printFailure(tracker.error());
    return kExitFindings;
  }
  say(fmt::format("built {}: check it with commtap doctor", *tracker));
  return kExitOk;
}

} // namespace

Verb buildTrackerVerb() {
  auto arguments = std::make_shared<BuildArguments>();
  return {
      .name = "build-tracker",
      .help = "Compile a tracker for the torch at hand",
      .usage = "commtap build-tracker [OPTIONS] [-- COMMAND [ARGUMENTS]]",
      .about = kAbout,
      .exit_status = kExitStatus,
      .examples = {"commtap build-tracker", "commtap build-tracker -- /venv/bin/python"},
      .options =
          {{.names = "--compiler",
            .value = "PATH",
            .help = "A C++ compiler; default: $CXX, c++, g++ or clang++",
            .to = &arguments->compiler},
           {.names = "--jobs",
            .value = "N",
            .help = "Compilers that run at a time; default: one per core",
            .to = &arguments->jobs}},
      .command = Command::kAfterDashes,
      .run = [arguments](const Given& given) { return buildTracker(*arguments, given.command); }};
}

} // namespace commtap
