// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/options.h"

#include <algorithm>
#include <array>
#include <optional>

namespace commtap {
namespace {

constexpr std::string_view kPrefix = "COMMTAP_";

std::optional<bool> parseSwitch(std::string_view value) {
  if (value == "1" || value == "on" || value == "true" || value == "yes") {
    return true;
  }
  if (value == "0" || value == "off" || value == "false" || value == "no") {
    return false;
  }
  return std::nullopt;
}

/// Takes over the enumerator whose name `value` is; else names them all, as `wanted`.
template <typename Enum, size_t N>
std::string
applyName(Enum& option, std::string_view value, const std::array<std::string_view, N>& names, const char* wanted) {
  const auto* found = std::find(names.begin(), names.end(), value);
  if (found == names.end()) {
    return wanted;
  }
  option = static_cast<Enum>(found - names.begin());
  return {};
}

std::string applyEnabled(Options& options, std::string_view value) {
  const std::optional<bool> on = parseSwitch(value);
  if (!on) {
    return "1 or 0";
  }
  options.enabled = *on;
  return {};
}

std::string applyOut(Options& options, std::string_view value) {
  if (value.empty()) {
    return "a folder";
  }
  for (size_t percent = value.find('%'); percent != std::string_view::npos; percent = value.find('%', percent + 2)) {
    const std::string_view code = value.substr(percent + 1, 1);
    if (code.empty() || std::string_view("hprj%").find(code) == std::string_view::npos) {
      return "a folder in which % is followed by h, p, r, j or %";
    }
  }
  options.out = value;
  return {};
}

std::string applyLog(Options& options, std::string_view value) {
  constexpr std::array<std::string_view, 5> kNames = {"off", "error", "warning", "info", "debug"};
  return applyName(options.log, value, kNames, "off, error, warning, info or debug");
}

std::string applyRunId(Options& options, std::string_view value) {
  options.run_id = value;
  return {};
}

std::string applyOps(Options& options, std::string_view value) {
  std::vector<std::string> ops;
  while (!value.empty()) {
    const size_t comma = std::min(value.find(','), value.size());
    const std::string_view op = value.substr(0, comma);
    if (op.find("::") == std::string_view::npos) {
      return "ops as namespace::name, separated by commas; a * at the end stands for any rest";
    }
    ops.emplace_back(op);
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  options.ops = std::move(ops);
  return {};
}

std::string applyLevel(Options& options, std::string_view value) {
  const std::optional<Level> level = levelFromName(value);
  if (!level) {
    return "collectives, dtensor or ops";
  }
  options.level = *level;
  return {};
}

std::string applyLabels(Options& options, std::string_view value) {
  constexpr std::array<std::string_view, 3> kNames = {"auto", "scopes", "off"};
  return applyName(options.labels, value, kNames, "auto, scopes or off");
}

std::string applyTiming(Options& options, std::string_view value) {
  const std::optional<Timing> timing = timingFromText(value);
  if (!timing) {
    return "off, host, or sample:N with N from 1";
  }
  options.timing = *timing;
  return {};
}

constexpr std::array<OptionRow, 8> kTable = {{
    {"COMMTAP", "", "switch", "1", "0 switches everything off: the library is loaded and does nothing.", applyEnabled},
    {"COMMTAP_OUT",
     "--out",
     "folder",
     "commtap-out",
     "Where the reports go; made if it does not exist. %h stands for the host, %p for the pid, %r for the rank, %j for "
     "the run id, %% for a percent sign.",
     applyOut},
    {"COMMTAP_LOG",
     "--log",
     "off|error|warning|info|debug",
     "warning",
     "How much is said on stderr. At the default only what you must act on.",
     applyLog},
    {"COMMTAP_RUN_ID",
     "--run-id",
     "text",
     "",
     "Names the run; all its processes must have the same. Default: the Slurm job and step, else torchrun's run id, "
     "else the master's address and port.",
     applyRunId},
    {"COMMTAP_OPS",
     "--ops",
     "list",
     "",
     "More ops to count as collectives of kind other, for example mylib::exchange,deep_ep::*.",
     applyOps},
    {"COMMTAP_LEVEL",
     "--level",
     "collectives|dtensor|ops",
     "collectives",
     "Which ops to count beside the collectives, by module and phase: dtensor those that are called with a DTensor, "
     "ops all. Costs about a microsecond an op; at the default nothing.",
     applyLevel},
    {"COMMTAP_LABELS",
     "--labels",
     "auto|scopes|off",
     "auto",
     "Whether labels (record_function, RECORD_USER_SCOPE) are modules: auto where there is no Python, scopes "
     "everywhere, off nowhere. With scopes each collective on Gloo costs a few microseconds more.",
     applyLabels},
    {"COMMTAP_TIMING",
     "--timing",
     "off|host|device|sample:N",
     "off",
     "Whether to measure how long collectives wait in the queue, run and block the caller. host: on Gloo; costs less "
     "than a microsecond a collective. device: those of NCCL too, by CUDA events on their streams. sample:N: as "
     "device, "
     "each N-th collective.",
     applyTiming},
}};

const OptionRow* findOption(std::string_view name) {
  for (const OptionRow& row : kTable) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

std::string knownNames() {
  std::string names;
  for (const OptionRow& row : kTable) {
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

void parseVariable(std::string_view name, std::string_view value, ParsedOptions& parsed) {
  const OptionRow* option = findOption(name);
  if (option == nullptr) {
    parsed.warnings.push_back(std::string(name) + " is no option and was ignored; there are " + knownNames());
    return;
  }
  const std::string wanted = value.empty() ? "" : option->apply(parsed.options, value);
  if (!wanted.empty()) {
    parsed.warnings.push_back(
        std::string(name) + "=" + std::string(value) + " was ignored: it must be " + wanted + "; the default, " +
        (option->default_value.empty() ? "none" : std::string(option->default_value)) + ", stays");
  }
}

} // namespace

std::span<const OptionRow> optionTable() {
  return kTable;
}

ParsedOptions parseOptions(const char* const* environment) {
  ParsedOptions parsed;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    const size_t equals = std::min(variable.find('='), variable.size());
    const std::string_view name = variable.substr(0, equals);
    if (name == "COMMTAP" || name.substr(0, kPrefix.size()) == kPrefix) {
      parseVariable(name, variable.substr(std::min(equals + 1, variable.size())), parsed);
    }
  }
  return parsed;
}

std::string optionsPage() {
  std::string page =
      "# Options\n\n"
      "<!-- Made from the table in report/model/options.cc by `./dev docs`. -->\n\n"
      "commtap is configured by environment variables, which every process of the job inherits. A bad value is named "
      "in a warning on stderr and the default stays. `commtap run` has a flag for most of them.\n\n"
      "| variable | `commtap run` | value | default | what it does |\n|---|---|---|---|---|\n";
  for (const OptionRow& row : kTable) {
    std::string type(row.type);
    for (size_t bar = type.find('|'); bar != std::string::npos; bar = type.find('|', bar + 2)) {
      type.replace(bar, 1, "\\|");
    }
    page += "| `" + std::string(row.name) + "` | " + (row.flag.empty() ? "" : "`" + std::string(row.flag) + "`") +
            " | " + type + " | " + (row.default_value.empty() ? "" : "`" + std::string(row.default_value) + "`") +
            " | " + std::string(row.help) + " |\n";
  }
  return page;
}

} // namespace commtap
