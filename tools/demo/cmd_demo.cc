// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/demo/cmd_demo.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/redaction.h"
#include "tools/cli/run_note.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/command/interpreter.h"
#include "tools/run/environment.h"
#include "tools/run/launch.h"
#include "tools/run/preload.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDemoAbout =
    "Trains a small network with FSDP2 over tensor parallelism on 4 CPU ranks, shows its numbers and writes its page.\n"
    "Prints each command before it runs. The job, share/commtap/demo.py, is short enough to read as an example.";
constexpr const char* kDemoExitStatus =
    "0 shown; 1 no torch, or the job failed (commtap doctor says why); 2 wrong usage.";

struct DemoArguments {
  std::string python = ownPython();
  std::string out = "commtap-demo";
};

/// Runs a command after printing it. `shown`: the words that the user would type. Returns whether it succeeded.
bool runShown(
    const std::vector<std::string>& command,
    const std::vector<std::string>& shown,
    const Environment& environment) {
  fmt::print(stderr, "$ {}\n", inert(fmt::format("{}", fmt::join(shown, " "))));
  Launcher launcher;
  const Ending ending = launcher.run(command, environment.variables());
  launcher.release();
  return ending.exec_error == 0 && WIFEXITED(ending.wait_status) && WEXITSTATUS(ending.wait_status) == 0;
}

/// Runs a subcommand of this executable after printing it.
bool runSelf(const std::vector<std::string>& arguments, const Environment& environment) {
  std::vector<std::string> shown = {"commtap"};
  shown.insert(shown.end(), arguments.begin(), arguments.end());
  std::vector<std::string> command = shown;
  command[0] = "/proc/self/exe";
  std::error_code error;
  command[0] = fs::read_symlink(command[0], error);
  return runShown(command, shown, environment);
}

/// Returns the interpreter, or one line about what is missing.
Result<std::string> pythonWithTorch(const std::string& python, const Environment& environment) {
  const std::string path = findOnPath(python, environment);
  if (path.empty()) {
    return Result<std::string>::failure(
        python + " was not found: activate an environment with torch, or give one: commtap demo --python PATH");
  }
  const Result<Interpreter> interpreter = askInterpreter({path}, environment);
  if (!interpreter) {
    return Result<std::string>::failure(interpreter.error() + ": give another one: commtap demo --python PATH");
  }
  if (interpreter->torch_folder.empty()) {
    return Result<std::string>::failure(fmt::format(
        "{} has no torch: install it there (pip install torch), or give another one: commtap demo --python PATH",
        path));
  }
  return path;
}

int demo(const DemoArguments& arguments) {
  Environment environment(environ);
  const std::string job = orEnd(findDemo(executableFolder()), kExitFindings);
  const std::string python = orEnd(pythonWithTorch(arguments.python, environment), kExitFindings);
  environment.set("OMP_NUM_THREADS", "1");
  const std::string page = arguments.out + "/report.html";
  const bool is_done = runSelf(
                           {"run",
                            "--out",
                            arguments.out,
                            "--",
                            python,
                            "-m",
                            "torch.distributed.run",
                            "--standalone",
                            "--nproc-per-node",
                            "4",
                            job},
                           environment) &&
                       runSelf({"show", "--rank", "0", arguments.out}, environment) &&
                       runSelf({"html", arguments.out, "-o", page}, environment);
  if (!is_done) {
    say(fmt::format("the demo failed: run commtap doctor -- {}", python));
    return kExitFindings;
  }
  say(fmt::format("the page of this run: {}: open it in a browser", fs::absolute(page).string()));
  say(fmt::format("the job that ran: {}", job));
  return kExitOk;
}

} // namespace

Result<std::string> findDemo(const std::string& folder) {
  return findInstalled(folder, {"demo/demo.py" /* build folder */, "../share/commtap/demo.py"});
}

Verb demoVerb() {
  auto arguments = std::make_shared<DemoArguments>();
  return {
      .name = "demo",
      .help = "Train a small network on 4 CPU ranks under commtap, and show its numbers",
      .usage = "commtap demo [OPTIONS]",
      .about = kDemoAbout,
      .exit_status = kDemoExitStatus,
      .examples = {"commtap demo", "commtap demo --python /venv/bin/python"},
      .options =
          {{.names = "--python",
            .value = "PATH",
            .help = "A Python that has torch; default: commtap's own, else python3",
            .to = &arguments->python},
           {.names = "--out",
            .value = "PATH",
            .help = "The folder for the reports and the page; default: commtap-demo",
            .to = &arguments->out}},
      .run = [arguments](const Given& /*given*/) { return demo(*arguments); }};
}

} // namespace commtap
