// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "report/model/durations.h"
#include "report/model/op_line.h"
#include "report/model/spelling.h"

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

/// Sets `option` to the enumerator whose name is `value`; `row.type` lists the names in order. Returns false for an
/// unknown name.
template <typename Enum>
bool applyName(Enum& option, std::string_view value, const OptionRow& row) {
  int index = 0;
  for (std::string_view names = row.type; !names.empty(); ++index) {
    const size_t bar = std::min(names.find('|'), names.size());
    if (names.substr(0, bar) == value) {
      option = static_cast<Enum>(index);
      return true;
    }
    names.remove_prefix(std::min(bar + 1, names.size()));
  }
  return false;
}

template <auto Member>
bool applyNamed(Options& options, std::string_view value, const OptionRow& row) {
  return applyName(options.*Member, value, row);
}

/// Sets the member to the value that `parse` reads. Returns false if it reads none.
template <auto Member, auto parse>
bool applyParsed(Options& options, std::string_view value, const OptionRow& /*row*/) {
  auto parsed = parse(value);
  if (parsed) {
    options.*Member = std::move(*parsed);
  }
  return parsed.has_value();
}

bool applyOut(Options& options, std::string_view value, const OptionRow& /*row*/) {
  if (value.empty()) {
    return false;
  }
  for (size_t percent = value.find('%'); percent != std::string_view::npos; percent = value.find('%', percent + 2)) {
    const std::string_view code = value.substr(percent + 1, 1);
    if (code.empty() || std::string_view("hprj%").find(code) == std::string_view::npos) {
      return false;
    }
  }
  options.out = value;
  return true;
}

template <std::string Options::*Member>
bool applyText(Options& options, std::string_view value, const OptionRow& /*row*/) {
  options.*Member = value;
  return true;
}

/// Leaves bad lines out: parseOptions() warns of each.
bool applyOps(Options& options, std::string_view value, const OptionRow& /*row*/) {
  options.ops.clear();
  forEachOpLine(value, [&options](std::string_view line) {
    if (parseOpLine(line).fault.empty()) {
      options.ops.emplace_back(line);
    }
  });
  return true;
}

constexpr auto kTable = std::to_array<OptionRow>({
    {.name = "COMMTAP",
     .flag = "",
     .type = "switch",
     .default_value = "1",
     .help = "0 disables commtap: the library is loaded and does nothing.",
     .wanted = "1 or 0",
     .apply = applyParsed<&Options::enabled, parseSwitch>},
    {.name = "COMMTAP_OUT",
     .flag = "--out",
     .type = "folder",
     .default_value = "commtap-out",
     .help =
         "The folder for reports, created if it does not exist. %h stands for the host, %p for the pid, %r for the "
         "rank, %j for the run id, %% for a percent sign. A later run gets a folder of its run id inside it. Without "
         "it, commtap run writes to commtap-out/%j.",
     .wanted = "a folder in which % is followed by h, p, r, j or %",
     .apply = applyOut},
    {.name = "COMMTAP_LOG",
     .flag = "--log",
     .type = "off|error|warning|info|debug",
     .default_value = "warning",
     .help = "The log level on stderr. The default shows only lines that you must act on.",
     .apply = applyNamed<&Options::log>},
    {.name = "COMMTAP_RUN_ID",
     .flag = "--run-id",
     .type = "text",
     .default_value = "",
     .help =
         "The name of the run, the same for all its processes. Default: the Slurm job and step, else torchrun's run "
         "id, else the master's address and port; see commtap help report.",
     .apply = applyText<&Options::run_id>},
    {.name = "COMMTAP_NAME",
     .flag = "--name",
     .type = "text",
     .default_value = "",
     .help =
         "The run's name for people, in lists and titles; runs may share it. Default: WANDB_NAME, else the Slurm job's "
         "name, else none.",
     .apply = applyText<&Options::name>},
    {.name = "COMMTAP_OPS",
     .flag = "--ops",
     .type = "list",
     .default_value = "",
     .help =
         "Additional ops to count as collectives, separated by commas or line ends, with kind and the argument whose "
         "bytes count: mylib::exchange all_to_all input,deep_ep::*. Without a kind they are of kind other: "
         "commtap help ops.",
     .wanted = "OP [KIND [ARGUMENT]] with OP as namespace::name, or with a * at its end",
     .apply = applyOps},
    {.name = "COMMTAP_LEVEL",
     .flag = "--level",
     .type = "collectives|dtensor|ops",
     .default_value = "collectives",
     .help =
         "The ops to count in addition to collectives, by module and phase. dtensor: ops called with a DTensor. ops: "
         "all ops. Costs about a microsecond per op; the default costs nothing.",
     .apply = applyNamed<&Options::level>},
    {.name = "COMMTAP_LABELS",
     .flag = "--labels",
     .type = "auto|scopes|off",
     .default_value = "auto",
     .help = "Whether labels (record_function, RECORD_USER_SCOPE) count as modules. auto: in processes without Python. "
             "scopes: in all processes. off: in none. With scopes, each Gloo collective costs a few microseconds more.",
     .apply = applyNamed<&Options::labels>},
    {.name = "COMMTAP_TIMING",
     .flag = "--timing",
     .type = "off|host|device|sample:N",
     .default_value = "off",
     .help =
         "Whether to measure how long collectives wait in the queue and run, and how long the job stands still for "
         "them. host: collectives on Gloo; costs less than a microsecond per collective. device: also collectives on "
         "NCCL, with CUDA events on their streams. sample:N: as device, in each N-th step.",
     .wanted = "off, host, device or sample:N with N >= 1",
     .apply = applyParsed<&Options::timing, timingFromText>},
    {.name = "COMMTAP_NVTX",
     .flag = "--nvtx",
     .type = "0|1",
     .default_value = "0",
     .help =
         "1: an NVTX range around each collective, in the domain commtap, with its module and phase: profilers such as "
         "Nsight Systems then show modules.",
     .wanted = "1 or 0",
     .apply = applyParsed<&Options::nvtx, parseSwitch>},
    {.name = "COMMTAP_VERIFY",
     .flag = "--verify",
     .type = "0|1|N[,N...]",
     .default_value = "0",
     .help =
         "Whether to sample parameters and gradients, for commtap verify: a digest of each, at the start of optimizer "
         "steps. 1: steps 1 to 5, 9, 17, 33 and so on, with pauses that double. N,N: these steps of each optimizer, "
         "counted from 1. The values themselves are not kept.",
     .wanted = "0, 1, or steps such as 2,50,100",
     .apply = applyParsed<&Options::verify, sampledStepsFromText>},
    {.name = "COMMTAP_COMPRESS",
     .flag = "--compress",
     .type = "off|gzip|zstd",
     .default_value = "off",
     .help = "Whether reports are compressed: rank-00000.json.gz or .json.zst, a twentieth of the size. Every command "
             "reads them. A report that is made of a killed process's ledger is not compressed.",
     .apply = applyNamed<&Options::compress>},
    {.name = "COMMTAP_ARGV",
     .flag = "--argv",
     .type = "redacted|off",
     .default_value = "redacted",
     .help = "Whether reports hold the command line. redacted: without its secrets, as far as commtap knows them. off: "
             "not at all.",
     .apply = applyNamed<&Options::command_line>},
    // The stub reads this variable by itself, before it loads a tracker.
    {.name = "COMMTAP_TORCH",
     .flag = "--torch",
     .type = "releases|force",
     .default_value = "releases",
     .help = "The torches that are counted. releases: those that commtap has a tracker for. force: also nightlies, "
             "vendors' builds and other versions, if torch's classes have the layout that the tracker was built for.",
     .apply = applyNamed<&Options::torch>},
    {.name = "COMMTAP_PLAN",
     .flag = "",
     .type = "off|real|fake",
     .default_value = "off",
     .help =
         "Set by commtap plan in the processes that it plans: the report says `planned`, and with fake, calls on fake "
         "tensors are counted. Set it in no other process.",
     .apply = applyNamed<&Options::plan>},
});

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

std::string_view closestOption(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OptionRow& row : kTable) {
    names.push_back(row.name);
  }
  return closestName(name, names);
}

void warnOfOps(std::string_view name, std::string_view value, ParsedOptions& parsed) {
  forEachOpLine(value, [name, &parsed](std::string_view line) {
    if (const std::string_view fault = parseOpLine(line).fault; !fault.empty()) {
      parsed.warnings.push_back(
          std::string(name) + "=" + std::string(line) + " is invalid and was ignored: " + std::string(fault) +
          "; it must be " + wantedValue(*findOption(name)));
    }
  });
}

void parseVariable(std::string_view name, std::string_view value, ParsedOptions& parsed) {
  const OptionRow* option = findOption(name);
  if (option == nullptr) {
    const std::string_view closest = closestOption(name);
    const std::string list =
        closest.empty() ? "; the options are " : "; did you mean " + std::string(closest) + "? The options are ";
    parsed.warnings.push_back(std::string(name) + " is not an option and was ignored" + list + knownNames());
    return;
  }
  if (option->apply == applyOps) {
    warnOfOps(name, value, parsed);
  }
  if (!value.empty() && !option->apply(parsed.options, value, *option)) {
    parsed.warnings.push_back(
        std::string(name) + "=" + std::string(value) + " is invalid and was ignored: it must be " +
        wantedValue(*option) +
        "; the default stays: " + (option->default_value.empty() ? "none" : std::string(option->default_value)));
  }
}

} // namespace

std::span<const OptionRow> optionTable() {
  return kTable;
}

std::string wantedValue(const OptionRow& row) {
  if (!row.wanted.empty()) {
    return std::string(row.wanted);
  }
  std::string words(row.type);
  const size_t last = words.rfind('|');
  if (last != std::string::npos) {
    words.replace(last, 1, " or ");
  }
  for (size_t bar = words.find('|'); bar != std::string::npos; bar = words.find('|', bar)) {
    words.replace(bar, 1, ", ");
  }
  return words;
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
      "<!-- Generated by `./dev docs` from the table in report/model/options.cc. -->\n\n"
      "Environment variables configure commtap; every process of the job inherits them. For an invalid value, commtap "
      "writes a warning to stderr and keeps the default. `commtap run` has a flag for most variables.\n\n"
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

namespace {

constexpr std::string_view kSample = "sample:";

} // namespace

std::string timingText(Timing timing) {
  if (!timing.isOn()) {
    return "off";
  }
  if (timing.every > 1) {
    return std::string(kSample) + std::to_string(timing.every);
  }
  return timing.device ? "device" : "host";
}

std::optional<Timing> timingFromText(std::string_view text) {
  if (text == "off") {
    return Timing{0};
  }
  if (text == "host") {
    return Timing{1};
  }
  if (text == "device") {
    return Timing{1, true};
  }
  if (!text.starts_with(kSample)) {
    return std::nullopt;
  }
  text.remove_prefix(kSample.size());
  Timing timing{0, true};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), timing.every);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && timing.isOn() ? std::optional<Timing>(timing) : std::nullopt;
}

} // namespace commtap
