// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/budget_file.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include <toml++/toml.h>

#include "report/base/text_file.h"
#include "report/compare/toml_bounds.h"
#include "report/json/fields.h"
#include "report/json/json_row.h"

namespace commtap {
namespace {

constexpr const char* kAllow = "allow";
constexpr const char* kTolerance = "tolerance";
constexpr const char* kBudget = "budget";
constexpr const char* kPer = "per";
constexpr const char* kPerRun = "run";
constexpr const char* kPerStep = "step";
constexpr const char* kImbalance = "imbalance";
constexpr const char* kExposed = "exposed";

constexpr const char* kAbout = R"(
# The maximum communication of each rank. To check a run: commtap check DIR --budget THIS_FILE
# Written by `commtap check DIR --write THIS_FILE`. You may edit this file.

# Findings that do not fail the check: "disagreements" of ranks, "missing_ranks", "killed" processes, "failed"
# processes, "not_seen".
allow = [)";

constexpr const char* kAboutStep = R"(
# Entries count per training step, and those with setup = true per run. steps: how many the run had that the numbers are
# of. A count that is no whole number has a part that is not in every step: a run of fewer steps may have it as often.
)";

constexpr const char* kAboutExposed =
    "# The most of a training step in which the job may stand still for its collectives, set-up left out.\n";

constexpr const char* kAboutTolerance = R"(
# Accepted excess over the budget: "5%" of it, or a number of calls or bytes. module, phase, kind and group restrict a
# rule to the rows that match; the last matching rule applies.
#   [[tolerance]]
#   module = "**.experts.*"
#   kind = "all_to_all"
#   bytes = "20%"
)";

constexpr const char* kAboutBudget = R"(
# The maximum calls (count) and payload (bytes) per rank in each module that matches. * matches any text without a dot,
# ** any text. A missing field matches everything. The last matching entry applies. Rows without an entry exceed the
# budget. imbalance = 1.5 also limits how uneven split sizes may be: the largest part over the mean part, mean of calls.
# exposed = "5%" also limits the time in which the job stands still for its rows, as a share of a training step.
)";

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what);
}

/// Returns `text` as a TOML string. JSON strings are valid TOML, except that TOML wants DEL escaped.
std::string quoted(const std::string& text) {
  std::string quoted;
  for (const char c : jsonLine(text)) {
    quoted += c == '\x7f' ? std::string("\\u007f") : std::string(1, c);
  }
  return quoted;
}

std::string numberText(double number) {
  std::ostringstream stream;
  stream.precision(15);
  stream << number;
  return stream.str();
}

std::string allowanceText(const Allowance& allowance) {
  return "\"" + numberText(allowance.value) + (allowance.is_percent ? "%\"" : "\"");
}

std::string quotedPercent(double percent) {
  return "\"" + numberText(percent) + "%\"";
}

std::string patternText(const CellPattern& pattern, const char* separator) {
  std::string text = std::string(field::kModule) + " = " + quoted(pattern.module);
  if (pattern.phase) {
    text += std::string(separator) + field::kPhase + " = " + quoted(std::string(phaseName(*pattern.phase)));
  }
  if (pattern.kind) {
    text += std::string(separator) + field::kKind + " = " + quoted(std::string(kindName(*pattern.kind)));
  }
  return text + separator + field::kGroup + " = " + quoted(pattern.group);
}

std::string toleranceText(const Tolerance& tolerance) {
  std::string text = std::string("[[") + kTolerance + "]]\n" + patternText(tolerance.pattern, "\n") + "\n";
  if (tolerance.count) {
    text += std::string(field::kCount) + " = " + allowanceText(*tolerance.count) + "\n";
  }
  if (tolerance.bytes) {
    text += std::string(field::kBytes) + " = " + allowanceText(*tolerance.bytes) + "\n";
  }
  return text;
}

std::string entryText(const BudgetEntry& entry, bool per_step) {
  const bool is_whole =
      !per_step || entry.setup; // the mean over steps must stay exact, as runs have other numbers of them
  const auto number = [is_whole](double value) { return numberText(is_whole ? std::ceil(value) : value); };
  return "  { " + patternText(entry.pattern, ", ") +
         (entry.setup ? std::string(", ") + field::kSetup + " = true" : "") + ", " + field::kCount + " = " +
         number(entry.count) + ", " + field::kBytes + " = " + number(entry.bytes) +
         (entry.imbalance ? std::string(", ") + kImbalance + " = " + numberText(*entry.imbalance) : "") +
         (entry.exposed ? std::string(", ") + kExposed + " = " + quotedPercent(*entry.exposed) : "") + " },\n";
}

/// Reads the fields of a TOML table one by one. Fails on fields not in `known`.
class Table {
 public:
  Table(const toml::table& table, std::string path, std::initializer_list<const char*> known)
      : table_(table), path_(std::move(path)) {
    for (const auto& [key, value] : table) {
      const std::string_view name = key.str();
      if (std::none_of(known.begin(), known.end(), [name](const char* field) { return name == field; })) {
        fail(line(value) + path_ + std::string(name) + " is unknown");
      }
    }
  }

  const toml::node* find(const char* name) const {
    return table_.get(name);
  }

  std::optional<std::string> text(const char* name) const {
    const toml::node* node = find(name);
    if (node != nullptr && !node->is_string()) {
      wrong(*node, name, "a string");
    }
    return node == nullptr ? std::nullopt : node->value<std::string>();
  }

  double number(const char* name) const {
    const toml::node* node = find(name);
    if (node == nullptr) {
      fail(path_ + name + " is missing");
    }
    const std::optional<double> number = node->is_number() ? node->value<double>() : std::nullopt;
    if (!number || !(*number >= 0)) {
      wrong(*node, name, "a number");
    }
    return *number;
  }

  bool flag(const char* name) const {
    const toml::node* node = find(name);
    if (node != nullptr && !node->is_boolean()) {
      wrong(*node, name, "true or false");
    }
    return node != nullptr && node->value_or(false);
  }

  template <typename T>
  std::optional<T> name(const char* field_name, std::optional<T> (*fromName)(std::string_view)) const {
    const std::optional<std::string> value = text(field_name);
    const std::optional<T> found = value ? fromName(*value) : std::nullopt;
    if (value && !found) {
      wrong(*find(field_name), field_name, "known");
    }
    return found;
  }

  std::optional<Allowance> allowance(const char* field_name) const {
    return name<Allowance>(field_name, parseAllowance);
  }

  /// Returns a share of a step, in percent.
  std::optional<double> percent(const char* field_name) const {
    const std::optional<Allowance> value = allowance(field_name);
    if (value && !value->is_percent) {
      wrong(*find(field_name), field_name, "a percentage, such as \"12%\"");
    }
    return value ? std::optional(value->value) : std::nullopt;
  }

  CellPattern pattern() const {
    CellPattern pattern;
    pattern.module = text(field::kModule).value_or(pattern.module);
    pattern.phase = name<Phase>(field::kPhase, phaseFromName);
    pattern.kind = name<Kind>(field::kKind, kindFromName);
    pattern.group = text(field::kGroup).value_or(pattern.group);
    return pattern;
  }

  static std::string line(const toml::node& node) {
    return "line " + std::to_string(node.source().begin.line) + ": ";
  }

  [[noreturn]] void wrong(const toml::node& node, const char* name, const char* wanted) const {
    std::ostringstream found;
    found << toml::node_view<const toml::node>(node);
    fail(line(node) + path_ + name + " is " + found.str() + ", not " + wanted);
  }

 private:
  const toml::table& table_;
  std::string path_;
};

/// Calls `read` for each table in an array of tables.
template <typename Read>
void eachTable(const Table& root, const char* name, std::initializer_list<const char*> known, const Read& read) {
  const toml::node* node = root.find(name);
  if (node == nullptr) {
    return;
  }
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    root.wrong(*node, name, "a list");
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const toml::table* table = list->get_as<toml::table>(i);
    const std::string path = std::string(name) + "[" + std::to_string(i) + "].";
    if (table == nullptr) {
      root.wrong(*list->get(i), path.substr(0, path.size() - 1).c_str(), "a table");
    }
    read(Table(*table, path, known));
  }
}

/// Returns a number of steps, which a double holds exactly.
uint64_t wholeNumber(const Table& table, const char* name) {
  constexpr double kMost = 9007199254740992.0; // 2^53
  const double number = table.number(name);
  if (number > kMost || number != std::floor(number)) {
    table.wrong(*table.find(name), name, "a whole number");
  }
  return static_cast<uint64_t>(number);
}

std::vector<Allowed> allowedFrom(const Table& root) {
  std::vector<Allowed> allowed;
  const toml::node* node = root.find(kAllow);
  const toml::array* list = node == nullptr ? nullptr : node->as_array();
  if (node != nullptr && list == nullptr) {
    root.wrong(*node, kAllow, "a list");
  }
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const std::optional<Allowed> name = allowedFromName(list->get(i)->value_or(std::string()));
    if (!name || *name == Allowed::kLess) {
      root.wrong(*list->get(i), kAllow, R"("disagreements", "missing_ranks", "killed", "failed" or "not_seen")");
    }
    allowed.push_back(*name);
  }
  return allowed;
}

Tolerance toleranceFrom(const Table& table) {
  Tolerance tolerance{table.pattern(), table.allowance(field::kCount), table.allowance(field::kBytes)};
  return tolerance;
}

Budget budgetFrom(const toml::table& document) {
  const Table root(document, "", {field::kSchema, kPer, field::kSteps, kAllow, kExposed, kTolerance, kBudget});
  if (root.text(field::kSchema).value_or("") != kBudgetSchema) {
    fail(std::string("not a budget: it lacks schema = \"") + kBudgetSchema + "\"");
  }
  Budget budget;
  const std::string per = root.text(kPer).value_or(kPerRun);
  if (per != kPerRun && per != kPerStep) {
    root.wrong(*root.find(kPer), kPer, R"("run" or "step")");
  }
  budget.per_step = per == kPerStep;
  budget.steps = budget.per_step && root.find(field::kSteps) != nullptr ? wholeNumber(root, field::kSteps) : 0;
  budget.allowed = allowedFrom(root);
  budget.exposed = root.percent(kExposed);
  const auto fields = {field::kModule, field::kPhase, field::kKind, field::kGroup, field::kCount, field::kBytes};
  const auto run_fields = {
      field::kModule, field::kPhase, field::kKind, field::kGroup, field::kCount, field::kBytes, kImbalance, kExposed};
  const auto step_fields = {
      field::kModule,
      field::kPhase,
      field::kKind,
      field::kGroup,
      field::kSetup,
      field::kCount,
      field::kBytes,
      kImbalance,
      kExposed};
  eachTable(root, kTolerance, fields, [&](const Table& table) { budget.tolerances.push_back(toleranceFrom(table)); });
  eachTable(root, kBudget, budget.per_step ? step_fields : run_fields, [&](const Table& table) {
    budget.entries.push_back(
        {table.pattern(),
         table.number(field::kCount),
         table.number(field::kBytes),
         table.flag(field::kSetup),
         table.find(kImbalance) == nullptr ? std::nullopt : std::optional(table.number(kImbalance)),
         table.percent(kExposed)});
  });
  return budget;
}

} // namespace

std::string budgetToToml(const Budget& budget, const std::string& source) {
  std::string text = std::string(field::kSchema) + " = \"" + kBudgetSchema + "\"\n";
  if (budget.per_step) {
    text += kAboutStep + 1 + std::string(kPer) + " = " + quoted(kPerStep) + "\n" + field::kSteps + " = " +
            std::to_string(budget.steps) + "\n\n";
  }
  text += "# Of " + quoted(source) + kAbout;
  for (size_t i = 0; i < budget.allowed.size(); ++i) {
    text += (i == 0 ? "\"" : ", \"") + std::string(allowedName(budget.allowed[i])) + "\"";
  }
  text += "]\n";
  if (budget.exposed) {
    text += std::string("\n") + kAboutExposed + kExposed + " = " + quotedPercent(*budget.exposed) + "\n";
  }
  text += kAboutTolerance;
  text += std::string(kAboutBudget) + kBudget + " = [\n";
  for (const BudgetEntry& entry : budget.entries) {
    text += entryText(entry, budget.per_step);
  }
  text += "]\n";
  for (const Tolerance& tolerance : budget.tolerances) {
    text += "\n" + toleranceText(tolerance);
  }
  return text;
}

Result<Budget> budgetFromToml(const std::string& text) {
  if (std::string problem = whyNotToml(text, maxInputSize()); !problem.empty()) {
    return Result<Budget>::failure(std::move(problem));
  }
  try {
    const toml::table document = toml::parse(text);
    return budgetFrom(document);
  } catch (const toml::parse_error& error) {
    return Result<Budget>::failure(
        "line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  } catch (const std::exception& error) {
    return Result<Budget>::failure(error.what());
  }
}

} // namespace commtap
