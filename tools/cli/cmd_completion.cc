// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommands.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/cli/verb.h"

namespace commtap {
namespace {

constexpr const char* kNotice = "# Made by `commtap completion`; edit tools/cli/completion.cc instead.\n";

/// Prints the ids of the runs in a folder, given as `$1`, one in a line.
constexpr const char* kListRuns =
    R"(commtap list --all --json ${1:+"$1"} 2>/dev/null | grep -o '"run_id":"[^"]*"' | cut -d '"' -f 4)";

/// Returns `text` in single quotes. `quote` replaces each single quote in it: shells escape it differently.
std::string quoted(const std::string& text, const std::string& quote) {
  std::string escaped = "'";
  for (const char c : text) {
    escaped += c == '\'' ? quote : std::string(1, c);
  }
  return escaped + "'";
}

std::vector<std::string> namesOf(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const Verb& verb : verbs) {
    names.push_back(verb.name);
  }
  return names;
}

/// Returns whether a path is the value.
bool takesPath(const Option& option) {
  return isArgument(option) || option.value == "FILE" || option.value == "PATH" || option.value == "folder";
}

/// Returns whether the id of a run in a folder is the value.
bool takesRun(const Option& option) {
  return option.value == "ID";
}

/// Returns the values that the help lists, separated by spaces; "" if it lists none.
std::string wordsOf(const Option& option) {
  std::string words = placeholderOf(option);
  const bool is_list = words.find('|') != std::string::npos;
  std::replace(words.begin(), words.end(), '|', ' ');
  return is_list ? words : "";
}

/// Adds a subcommand to two lists of bash `case` branches: values after an option, and options of a subcommand.
void bashVerb(const Verb& verb, std::string& values, std::string& options) {
  std::vector<std::string> names;
  for (const Option& option : verb.options) {
    std::vector<std::string> cases;
    for (const std::string& name : namesOf(option)) {
      names.push_back(name);
      cases.push_back(verb.name + ":" + name);
    }
    if (cases.empty() || placeholderOf(option).empty()) {
      continue;
    }
    const std::string words = wordsOf(option);
    const std::string action = !words.empty()      ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", words)
                               : takesPath(option) ? "compopt -o default"
                               : takesRun(option)  ? "COMPREPLY=($(compgen -W '$(_commtap_runs)' -- \"$word\"))"
                                                   : ":";
    values += fmt::format("    {}) {}; return ;;\n", fmt::join(cases, "|"), action);
  }
  options += fmt::format("    {}) options='{}' ;;\n", verb.name, fmt::join(names, " "));
}

std::string zshOption(const Option& option) {
  if (isArgument(option)) {
    return quoted("*:" + option.help + ":_files", "'\\''");
  }
  std::string specs;
  for (const std::string& name : namesOf(option)) {
    std::string spec = fmt::format("*{}[{}]", name, option.help);
    for (const char c : {'\\', '[', ']', ':'}) { // in the help only
      for (size_t at = spec.find(c, name.size() + 2); at != std::string::npos && at + 1 < spec.size();
           at = spec.find(c, at + 2)) {
        spec.insert(at, "\\");
      }
    }
    if (const std::string words = wordsOf(option); !words.empty()) {
      spec += fmt::format(":value:({})", words);
    } else if (!placeholderOf(option).empty()) {
      spec += takesPath(option) ? ":path:_files" : takesRun(option) ? ":run:_commtap_runs" : ":value: ";
    }
    specs += (specs.empty() ? "" : " ") + quoted(spec, "'\\''");
  }
  return specs;
}

std::string fishOption(const Verb& verb, const Option& option) {
  std::string line = fmt::format("complete -c commtap -n '__fish_seen_subcommand_from {}'", verb.name);
  for (const std::string& name : namesOf(option)) {
    const bool is_long = name.starts_with("--");
    line += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
  }
  if (isArgument(option)) {
    return line + " -F\n";
  }
  if (const std::string words = wordsOf(option); !words.empty()) {
    line += fmt::format(" -x -a '{}'", words);
  } else if (!placeholderOf(option).empty()) {
    line += takesPath(option) ? " -r -F" : takesRun(option) ? " -x -a '(__commtap_runs)'" : " -x";
  }
  return line + " -d " + quoted(option.help, "\\'") + "\n";
}

} // namespace

std::string bashCompletion(const std::vector<Verb>& verbs) {
  std::string values;
  std::string options;
  for (const Verb& verb : verbs) {
    bashVerb(verb, values, options);
  }
  std::string text = "# shellcheck shell=bash\n";
  text += kNotice;
  text += R"(_commtap_runs() {
  local folder= each
  for each in "${COMP_WORDS[@]:2}"; do if [ -d "$each" ]; then folder=$each; fi; done
  set -- "$folder"
  )";
  text += kListRuns;
  text += R"(
}
_commtap() {
  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD - 1]} options i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ')";
  text += fmt::format("{} --help --version", fmt::join(namesOf(verbs), " "));
  text += R"(' -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [ "$verb:${COMP_WORDS[i]}" = run:-- ] || [ "$verb:${COMP_WORDS[i]}" = doctor:-- ]; then
      if [ "$i" -eq $((COMP_CWORD - 1)) ]; then COMPREPLY=($(compgen -c -- "$word")); else compopt -o default; fi
      return
    fi
  done
  case $verb:$before in
)" + values +
          R"(  esac
  case $verb in
)" + options +
          R"(    *) return ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) compopt -o default ;;
  esac
}
complete -F _commtap commtap
)";
  return text;
}

std::string zshCompletion(const std::vector<Verb>& verbs) {
  std::string described;
  std::string cases;
  for (const Verb& verb : verbs) {
    described += "    " + quoted(verb.name + ":" + verb.help, "'\\''") + "\n";
    cases += "    " + verb.name + ")\n      _arguments -S";
    for (const Option& option : verb.options) {
      cases += " \\\n        " + zshOption(option);
    }
    const bool takes_command = verb.name == "run" || verb.name == "doctor";
    cases += takes_command ? " \\\n        '*::command:_normal'\n      ;;\n" : "\n      ;;\n";
  }
  return std::string("#compdef commtap\n") + kNotice + R"(_commtap_runs() {
  local folder= each
  local -a ids
  for each in $words; do if [[ -d $each ]]; then folder=$each; fi; done
  set -- "$folder"
  ids=($()" +
         kListRuns + R"())
  compadd -a ids
}
_commtap() {
  local -a verbs
  verbs=(
)" + described +
         R"(  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
)" + cases +
         R"(  esac
}
if [ "$funcstack[1]" = _commtap ]; then _commtap "$@"; else compdef _commtap commtap; fi
)";
}

std::string fishCompletion(const std::vector<Verb>& verbs) {
  std::string text = std::string(kNotice) + R"fish(function __commtap_runs
  set -l folder
  for each in (commandline -opc)
    test -d "$each"; and set folder $each
  end
  commtap list --all --json $folder 2>/dev/null | string match -r -a -g '"run_id":"([^"]*)"'
end
complete -c commtap -f
)fish";
  for (const Verb& verb : verbs) {
    text +=
        fmt::format("complete -c commtap -n __fish_use_subcommand -a {} -d {}\n", verb.name, quoted(verb.help, "\\'"));
  }
  for (const Verb& verb : verbs) {
    for (const Option& option : verb.options) {
      text += fishOption(verb, option);
    }
  }
  return text + "complete -c commtap -n '__fish_seen_subcommand_from run doctor' -a '(__fish_complete_subcommand)'\n";
}

namespace {

constexpr const char* kCompletionAbout =
    "An installation puts these scripts where the shells look for them. From a build folder, use the examples.";
constexpr const char* kCompletionExitStatus = "0 printed, 2 wrong usage.";

} // namespace

Verb completionVerb() {
  auto shell = std::make_shared<std::string>();
  return {
      .name = "completion",
      .help = "Print a shell's completion script for commtap",
      .usage = "commtap completion SHELL",
      .about = kCompletionAbout,
      .exit_status = kCompletionExitStatus,
      .examples =
          {
              "source <(commtap completion bash)",
              "source <(commtap completion zsh)",
              "commtap completion fish | source",
          },
      .options =
          {{.names = "SHELL",
            .help = "bash, zsh or fish",
            .to = shell.get(),
            .words = {"bash", "zsh", "fish"},
            .required = true}},
      .run = [shell](const Given& given) {
        const std::vector<Verb> verbs = shownVerbs(given.program);
        return printOut(
            *shell == "bash"  ? bashCompletion(verbs)
            : *shell == "zsh" ? zshCompletion(verbs)
                              : fishCompletion(verbs));
      }};
}

} // namespace commtap
