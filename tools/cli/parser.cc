// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
// The only source that includes CLI11, which takes the compiler ten seconds: it parses, and lays out the help.
#include "tools/cli/parser.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "report/model/spelling.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter(std::string usage, size_t columns) : usage_(std::move(usage)), columns_(columns) {
    column_width(kTextColumn);
  }

  /// Leaves out the options that an option excludes: they would push the text of the help to a line of its own.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) {
      return "";
    }
    const std::string type = option->get_type_name();
    const bool takes_many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    return (type.empty() ? "" : " " + type) + (takes_many ? " ..." : "");
  }

  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: " + usage_ + "\n";
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return filled(CLI::Formatter::make_option_desc(option));
  }

  std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream line;
    CLI::detail::format_help(line, verb->get_name(), filled(verb->get_description()), kTextColumn);
    return line.str();
  }

 private:
  static constexpr size_t kTextColumn = 34;

  /// Returns text in lines for the right column, whose next lines the library indents.
  std::string filled(const std::string& text) const {
    const std::string lines = wrapped(text, columns_ - kTextColumn, "");
    return lines.substr(0, lines.empty() ? 0 : lines.size() - 1);
  }

  std::string usage_;
  size_t columns_;
};

std::string exampleText(const std::vector<std::string>& examples) {
  std::string text = examples.size() == 1 ? "Example:" : "Examples:";
  for (const std::string& example : examples) {
    text += "\n  ";
    for (const char c : example) {
      text += c == '\n' ? "\n  " : std::string(1, c);
    }
  }
  return text;
}

std::string footerOf(const Verb& verb, size_t columns) {
  const std::string status = verb.exit_status.empty() ? "" : "Exit status: " + verb.exit_status;
  const std::string gap = verb.about.empty() || status.empty() ? "" : "\n\n";
  const std::string footer = wrapped(unbroken(verb.about + gap + status), columns, "");
  return footer + (footer.empty() ? "" : "\n") + (verb.examples.empty() ? "" : exampleText(verb.examples));
}

/// Returns how wide the help may be: as the terminal.
size_t columnsOfHelp() {
  constexpr size_t kLeast = 72;
  constexpr size_t kOfPipe = 100;
  const size_t columns = screenSize(STDOUT_FILENO).columns;
  return columns == ScreenSize().columns ? kOfPipe : std::max(columns, kLeast);
}

CLI::Validator oneOf(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& word) {
    const bool known = std::find(words.begin(), words.end(), word) != words.end();
    return known ? std::string() : fmt::format("\"{}\" is not one of {}", word, fmt::join(words, ", "));
  };
  return CLI::Validator(check, "");
}

CLI::Validator between(double least, double most) {
  const auto check = [least, most](const std::string& text) {
    double number = 0;
    if (!CLI::detail::lexical_cast(text, number)) {
      return fmt::format("\"{}\" is not a number", text);
    }
    if (number >= least && number <= most) {
      return std::string();
    }
    return std::isinf(most) ? fmt::format("{} is less than {}", text, least)
                            : fmt::format("{} is not between {} and {}", text, least, most);
  };
  return CLI::Validator(check, "");
}

/// Rejects numbers that CLI11 would not take as decimal ones: "0x10", "0b1", "010".
CLI::Validator decimal() {
  const auto check = [](const std::string& text) {
    const bool is_other =
        text.size() > 1 && text[0] == '0' && text[1] != '.' && text.find_first_of("0123456789", 1) != std::string::npos;
    return is_other ? fmt::format("\"{}\" is not a decimal number", text) : std::string();
  };
  return CLI::Validator(check, "");
}

/// Accepts "120", "120s", "2m" and "1h".
CLI::Validator asSeconds() {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  return CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", kMinute}, {"h", kHour}});
}

/// Adds an option with its target to an app.
struct Adder {
  CLI::App& app;
  std::string names;
  const std::string& help;

  CLI::Option* operator()(std::monostate /*to*/) const {
    return app.set_help_flag(names, help);
  }
  CLI::Option* operator()(bool* to) const {
    return app.add_flag(names, *to, help);
  }
  CLI::Option* operator()(void (*to)(uint64_t)) const {
    return app.add_option_function<uint64_t>(names, to, help);
  }
  CLI::Option* operator()(const std::function<void(const std::string&)>& to) const {
    return app.add_option_function<std::string>(names, to, help);
  }
  CLI::Option* operator()(std::vector<std::string>* to) const {
    CLI::Option* list = app.add_option(names, *to, help);
    return names.starts_with('-') ? list->allow_extra_args(false)->take_all() : list;
  }
  template <typename Value>
  CLI::Option* operator()(Value* to) const {
    return app.add_option(names, *to, help);
  }
};

void addOption(CLI::App& app, const Option& option, bool shows_all) {
  CLI::Option* added = std::visit(Adder{app, std::string(option.names), option.help}, option.to);
  if (option.is_seldom && !shows_all) {
    added->group("");
  }
  added->required(option.required);
  if (added->get_type_size() != 0) { // else a flag
    added->type_name(placeholderOf(option));
  }
  if (option.at_most > 0) {
    added->expected(option.required ? 1 : 0, option.at_most);
  }
  if (option.unit != Unit::kNone) {
    CLI::Validator unit = option.unit == Unit::kBytes ? CLI::AsSizeValue(false) : asSeconds();
    added->transform(unit.description(""));
    added->transform(decimal()); // before the unit
  }
  if (std::isfinite(option.least)) {
    added->check(between(option.least, option.most));
  }
  if (!option.words.empty()) {
    added->check(oneOf(option.words));
  }
}

/// Adds what commtap and its verbs have in common. `shows_all`: the help has options that are seldom needed.
void describe(CLI::App& app, const Verb& verb, bool shows_all) {
  const size_t columns = columnsOfHelp();
  if (const std::string footer = footerOf(verb, columns); !footer.empty()) { // else CLI11's: that of the app above
    app.footer(footer);
  }
  app.formatter(std::make_shared<HelpFormatter>(verb.usage, columns));
  for (const Option& option : verb.options) {
    addOption(app, option, shows_all);
  }
  for (const Option& option : verb.options) { // once all are there
    for (const std::string_view other : option.excludes) {
      app.get_option(std::string(option.names))->excludes(app.get_option(std::string(other)));
    }
    if (!option.needs.empty()) {
      app.get_option(std::string(option.names))->needs(app.get_option(std::string(option.needs)));
    }
  }
}

std::unique_ptr<CLI::App> appOf(const Verb& program, bool shows_all = false) {
  auto app = std::make_unique<CLI::App>(program.help, program.name);
  describe(*app, program, shows_all);
  app->set_version_flag("--version", program.name + " " + COMMTAP_VERSION);
  app->require_subcommand(1);
  for (const Verb& verb : program.verbs) {
    CLI::App* added = app->add_subcommand(verb.name, verb.help);
    added->group(verb.is_seldom ? "" : verb.group);
    describe(*added, verb, shows_all);
  }
  return app;
}

/// Returns the two parts of `text` around `mark`; nullopt if it has none.
std::optional<std::pair<std::string, std::string>> split(const std::string& text, const std::string& mark) {
  const size_t at = text.find(mark);
  return at == std::string::npos ? std::nullopt
                                 : std::optional(std::pair(text.substr(0, at), text.substr(at + mark.size())));
}

/// Says in our words what CLI11 says in its own; text that has another form stays.
std::string inOurWords(const std::string& text) {
  if (const auto parts = split(text, " is required"); parts && parts->second.empty()) {
    return parts->first + " is missing";
  }
  if (const auto parts = split(text, " required "); parts && text.ends_with(" missing")) {
    return parts->first.substr(0, parts->first.find(':')) + " needs a value";
  }
  if (const auto parts = split(text, "Could not convert: "); parts && parts->first.empty()) {
    const auto value = split(parts->second, " = ");
    return value ? fmt::format("{}: \"{}\" is not a number of the right size", value->first, value->second) : text;
  }
  if (const auto parts = split(text, ": At Most 1 required but received ")) {
    return parts->first + " is given more than once";
  }
  if (const auto parts = split(text, " excludes ")) {
    return fmt::format("{} and {} do not go together: leave out one of them", parts->first, parts->second);
  }
  if (const auto parts = split(text, "not expected: ")) {
    return fmt::format("\"{}\" is one argument too many", parts->second);
  }
  return text;
}

bool isNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Joins each option that may stand alone with its value: the number that follows, or the one of the table. CLI11 would
/// take any argument that follows for the value.
std::vector<std::string> withOwnValues(const Verb& verb, const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    result.push_back(arguments[i]);
    for (const Option& option : verb.options) {
      if (!option.alone.empty() && option.names == result.back()) {
        const bool has_number = i + 1 < arguments.size() && isNumber(arguments[i + 1]);
        result.back() += "=" + (has_number ? arguments[++i] : std::string(option.alone));
      }
    }
  }
  return result;
}

/// Returns the arguments of commtap without the command of the verb that they name.
SplitArguments splitGiven(const Verb& program, const std::vector<std::string>& arguments) {
  const Verb* verb = arguments.empty() ? nullptr : verbNamed(program, arguments[0]);
  if (verb == nullptr) {
    return {arguments};
  }
  SplitArguments split = splitArguments(*verb, {arguments.begin() + 1, arguments.end()});
  split.own = withOwnValues(*verb, split.own);
  split.own.insert(split.own.begin(), verb->name);
  return split;
}

/// Makes the values of text that is not given.
void fillIn(const Verb& verb) {
  for (const Option& option : verb.options) {
    std::string* const* text = std::get_if<std::string*>(&option.to);
    if (option.otherwise != nullptr && text != nullptr && (*text)->empty()) {
      **text = option.otherwise();
    }
  }
}

} // namespace

Parsed parse(const Verb& program, const std::vector<std::string>& arguments) {
  SplitArguments given = splitGiven(program, arguments);
  const auto help = std::find(given.own.begin(), given.own.end(), "--help-all");
  const bool shows_all = help != given.own.end();
  if (shows_all) {
    *help = "--help";
  }
  if (std::string wrong = unknownNameIn(program, given.own); !wrong.empty()) {
    return {.error = std::move(wrong)};
  }
  const std::unique_ptr<CLI::App> app = appOf(program, shows_all);
  try {
    app->parse(std::vector<std::string>(given.own.rbegin(), given.own.rend())); // in the order that the library wants
  } catch (const CLI::Success& success) {                                       // --help and --version
    std::ostringstream text;
    app->exit(success, text);
    return {.text = text.str()};
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> verbs = app->get_subcommands();
    return {
        .error = verbs.empty()
                     ? wrongCommand(program, given.own[0])
                     : fmt::format("{} (see commtap {} --help)", inOurWords(error.what()), verbs[0]->get_name())};
  }
  const Verb* verb = verbNamed(program, app->get_subcommands()[0]->get_name());
  fillIn(*verb);
  return {.verb = verb, .command = std::move(given.command)};
}

std::string helpText(const Verb& program, const Verb& verb) {
  const std::unique_ptr<CLI::App> app = appOf(program);
  return &verb == &program ? app->help() : app->get_subcommand(verb.name)->help();
}

namespace {

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view closest = closestName(word, views);
  return closest.empty() ? "" : fmt::format("; did you mean {}?", closest);
}

/// Returns the names of all options, the long one of an option first.
std::vector<std::string> optionNames(const Verb& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.options) {
    const std::vector<std::string> own = namesOf(option);
    names.insert(names.end(), own.rbegin(), own.rend());
  }
  return names;
}

/// Returns the name in an argument such as "--format=json" or "-o"; "" for an argument that is no option.
std::string optionIn(const std::string& argument) {
  if (argument.starts_with("--")) {
    return argument.substr(0, argument.find('='));
  }
  const bool is_short =
      argument.size() > 1 && argument[0] == '-' && std::isalpha(static_cast<unsigned char>(argument[1]));
  return is_short ? argument.substr(0, 2) : "";
}

} // namespace

std::string wrongCommand(const Verb& program, const std::string& word) {
  std::vector<std::string> names;
  for (const Verb& verb : shownVerbs(program)) {
    names.push_back(verb.name);
  }
  return fmt::format("\"{}\" is not a command{} (see commtap --help)", word, suggestion(word, names));
}

std::string unknownNameIn(const Verb& program, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) {
    return {};
  }
  const Verb* verb = verbNamed(program, arguments[0]);
  if (verb == nullptr) {
    return wrongCommand(program, arguments[0]);
  }
  const std::vector<std::string> names = optionNames(*verb);
  const auto border = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin() + 1; argument != border; ++argument) {
    const std::string name = optionIn(*argument);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      return fmt::format(
          "{} is not an option of commtap {}{} (see commtap {} --help)",
          name,
          verb->name,
          suggestion(name, names),
          verb->name);
    }
  }
  return {};
}

} // namespace commtap
