// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace commtap {

/// The variable or function that gets the value of an option. None for --help, which the parser acts on; a bool is that
/// of a flag, and a list takes the values of each time that the option is given.
using Target = std::variant<
    std::monostate,
    bool*,
    std::string*,
    std::vector<std::string>*,
    double*,
    int64_t*,
    uint16_t*,
    uint32_t*,
    uint64_t*,
    std::optional<std::string>*,
    std::optional<int64_t>*,
    std::optional<uint32_t>*,
    std::optional<uint64_t>*,
    void (*)(uint64_t),
    std::function<void(const std::string&)>>;

/// Units that a number may be given with: "4GiB", "2m". The value is in bytes or seconds.
enum class Unit : uint8_t { kNone, kBytes, kSeconds };

/// An option or an argument of a verb. The parser, the help, the manual page, the completion scripts, suggestions and
/// docs/commands.md read it. The target must outlive it.
struct Option {
  std::string_view names;      ///< "-o,--output"; "PATH" is an argument
  std::string_view value = {}; ///< name of the value in the help; "" for a flag, an argument, or to list the words
  std::string help;
  Target to = {};
  std::vector<std::string> words = {}; ///< the only valid values; empty: any
  Unit unit = Unit::kNone;
  double least = -HUGE_VAL;
  double most = HUGE_VAL;
  bool required = false;
  bool is_seldom = false;                      ///< only --help-all has it
  int at_most = 0;                             ///< how often an argument with a list may be given; 0: any number
  std::vector<std::string_view> excludes = {}; ///< options that do not go together with this one
  std::string_view needs = {};                 ///< the option that this one has no effect without
  std::string_view alone = {};                 ///< the value if no number follows: "--last" is "--last 10"
  std::string (*otherwise)() = nullptr;        ///< makes a value of text that is not given, or ""
};

using OptionTable = std::vector<Option>;
OptionTable operator+(OptionTable first, OptionTable second);

bool isArgument(const Option& option);
/// Returns "-o", "--output"; nothing for an argument.
std::vector<std::string> namesOf(const Option& option);
/// Returns the name of the value in the help: "FILE", "text|json"; "" for a flag, and for an argument.
std::string placeholderOf(const Option& option);

/// The arguments of a verb that are a command, which it runs or examines.
enum class Command : uint8_t { kNone, kAfterDashes, kAfterOptions };

struct Verb;

/// The input of a verb besides its options.
struct Given {
  const Verb& program;
  std::vector<std::string> command;
};

/// A verb of commtap, or commtap itself. The help keeps the line breaks of the texts; the manual page and
/// docs/commands.md fill their own lines. An empty text is left out.
struct Verb {
  std::string name;
  std::string help;
  std::string usage;
  std::string about = {};                 ///< paragraphs, separated by an empty line
  std::string exit_status = {};           ///< "0 merged; 1 ..."
  std::vector<std::string> examples = {}; ///< one command each, or several lines that belong together
  OptionTable options = {};
  Command command = Command::kNone;
  std::function<int(const Given&)> run = {}; ///< returns the exit status
  std::string group = {};                    ///< its heading in the help of commtap; "" hides it
  bool is_seldom = false;                    ///< docs/commands.md and the manual have it, the help of commtap does not
  std::vector<Verb> verbs = {};
};

/// Returns the verb of a program, or null.
const Verb* verbNamed(const Verb& program, const std::string& name);
/// Returns the verbs of a program that are not hidden.
std::vector<Verb> shownVerbs(const Verb& program);

/// The arguments of a verb, split into its own and a command with its arguments.
struct SplitArguments {
  std::vector<std::string> own;
  std::vector<std::string> command = {};
};

/// Splits what follows the verb as its `command` says, at "--", which is in neither part. Options in the command are
/// none of the verb.
SplitArguments splitArguments(const Verb& verb, const std::vector<std::string>& arguments);

// The verbs of commtap, each defined in the cmd_VERB.cc of its room.
Verb adviseVerb();
Verb buildTrackerVerb();
Verb checkVerb();
Verb completionVerb();
Verb demoVerb();
Verb diffVerb();
Verb doctorVerb();
Verb envVerb();
Verb exportVerb();
Verb helpVerb();
Verb htmlVerb();
Verb listVerb();
Verb optionsVerb();
Verb planVerb();
Verb pruneVerb();
/// Does not return after it has run the command.
Verb runVerb();
Verb serveVerb();
Verb showVerb();
Verb topVerb();
Verb verifyVerb();
Verb whyVerb();

} // namespace commtap
