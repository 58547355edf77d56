// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>

#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/run/preload.h"
#include "tools/run/run_setup.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr const char* kEnvAbout =
    "For a shell, a job script or a prolog whose programs are all to be counted: prints the variables that\n"
    "commtap run would set, one \"export NAME=VALUE\" in a line. Each run takes its id from the launcher, unless\n"
    "--run-id names it. Prints nothing with COMMTAP=0 in the environment. --lib and --include print a path for\n"
    "build files instead.";
constexpr const char* kEnvExitStatus = "0 printed; 2 wrong usage, or a file of the installation is missing.";

constexpr const char* kHeader = "commtap.h";

struct EnvArguments {
  std::map<std::string, std::string> flags; ///< by variable
  bool lib = false;
  bool include = false;
};

/// Returns the folder of commtap.h, in an installation or a build tree.
Result<std::string> includeFolder() {
  const std::string header = std::string("/") + kHeader;
  const Result<std::string> found = findInstalled(executableFolder(), {"../include" + header, "../../shim" + header});
  return found ? Result<std::string>(std::filesystem::path(*found).parent_path().string()) : found;
}

/// Returns the lines for a shell.
Result<std::string> exports(const std::map<std::string, std::string>& flags) {
  const Result<RunSetup> setup = setUpPreload(environ, flags, executableFolder());
  if (!setup || !setup->options.enabled) {
    return setup ? Result<std::string>("") : Result<std::string>::failure(setup.error());
  }
  std::set<std::string> names = {"LD_PRELOAD", "COMMTAP_OUT"};
  for (const auto& [name, value] : flags) {
    names.insert(name);
  }
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("export {}={}\n", name, shellWord(setup->environment.get(name)));
  }
  return text;
}

int printEnv(const EnvArguments& arguments) {
  return printOut(
      arguments.lib       ? orEnd(findLibrary(executableFolder())) + "\n"
      : arguments.include ? orEnd(includeFolder()) + "\n"
                          : orEnd(exports(arguments.flags)));
}

} // namespace

Verb envVerb() {
  auto arguments = std::make_shared<EnvArguments>();
  return {
      .name = "env",
      .help = "Print the variables that preload commtap, for a shell",
      .usage = "commtap env [OPTIONS]",
      .about = kEnvAbout,
      .exit_status = kEnvExitStatus,
      .examples =
          {
              "eval \"$(commtap env --out /scratch/commtap/%j)\"",
              "cc -I\"$(commtap env --include)\" job.c",
          },
      .options = optionFlags(arguments->flags) +
                 OptionTable{
                     {.names = "--lib", .help = "Print the path of the library", .to = &arguments->lib},
                     {.names = "--include",
                      .help = "Print the folder of commtap.h",
                      .to = &arguments->include,
                      .excludes = {"--lib"}}},
      .run = [arguments](const Given& /*given*/) { return printEnv(*arguments); }};
}

} // namespace commtap
