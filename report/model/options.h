// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/durations.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// Selects the labels (`record_function` in Python, `RECORD_USER_SCOPE` in C++) that become scopes. Labels that torch
/// itself makes, such as those of optimizer steps, are read at every setting.
enum class Labels : uint8_t {
  kAuto,   ///< every label, if the process has no Python: there scopes are the only hierarchy
  kScopes, ///< every label, in every process
  kOff,
};

enum class LogLevel : uint8_t { kOff, kError, kWarning, kInfo, kDebug };

/// How reports are compressed when they are written.
enum class Compress : uint8_t { kOff, kGzip, kZstd };

/// The form of the command line in a report.
enum class CommandLine : uint8_t { kRedacted, kOff };

/// The torches for which a tracker is loaded.
enum class TorchVersions : uint8_t {
  kReleases, ///< releases of the minor that the tracker is built for
  kForce,    ///< any torch whose classes have the layout that the tracker is built for
};

/// The role of a process in `commtap plan`.
enum class Plan : uint8_t {
  kOff,  ///< not planned: it communicates
  kReal, ///< planned with real tensors
  kFake, ///< planned with fake tensors: calls on them are counted, not taken for a compiler's
};

/// The steps of each optimizer at whose start its parameters are sampled. The first step is 1.
struct SampledSteps {
  bool is_doubling = false;     ///< 1 to 5, 9, 17, 33 and so on to 2^20 + 1, then each 2^20 steps
  std::vector<uint64_t> listed; ///< ascending

  bool operator==(const SampledSteps&) const = default;

  bool isOn() const {
    return is_doubling || !listed.empty();
  }
  bool contains(uint64_t step) const;
};

/// The settings of the shim and the tracker, read once from the environment.
struct Options {
  bool enabled = true;
  std::string out = "commtap-out";
  LogLevel log = LogLevel::kWarning;
  std::string run_id;
  std::string name;
  std::vector<std::string> ops; ///< lines of parseOpLine() without a fault
  Level level = Level::kCollectives;
  Labels labels = Labels::kAuto;
  Timing timing;
  SampledSteps verify;
  Compress compress = Compress::kOff;
  CommandLine command_line = CommandLine::kRedacted;
  TorchVersions torch = TorchVersions::kReleases;
  Plan plan = Plan::kOff;
  bool nvtx = false;
};

/// One row of the option table, the only source of the parser, `commtap run --help` and docs/options.md.
struct OptionRow {
  std::string_view name;          ///< environment variable
  std::string_view flag;          ///< flag of `commtap run`; "" if there is none
  std::string_view type;          ///< "switch", "folder", "text", "list", or the allowed values joined by "|"
  std::string_view default_value; ///< as a user would write it
  std::string_view help;
  std::string_view wanted = {}; ///< valid values, for messages; if "", the words of `type`
  /// Sets the option. Returns false and leaves `options` unchanged if `value` is invalid. `row` is this row.
  bool (*apply)(Options& options, std::string_view value, const OptionRow& row);
};

std::span<const OptionRow> optionTable();

/// Returns the valid values for a message: "off, error or debug" for the type "off|error|debug".
std::string wantedValue(const OptionRow& row);

/// Reads "0" or "off", "1" or "on" (doubling), or several steps: "1,50,100". One step is a list too, unless it is 1.
std::optional<SampledSteps> sampledStepsFromText(std::string_view text);

struct ParsedOptions {
  Options options;
  std::vector<std::string> warnings; ///< one line per invalid value or unknown COMMTAP_ name
};

/// Parses the COMMTAP_ variables. `environment` has the form of `environ`: "NAME=value" strings, then nullptr.
ParsedOptions parseOptions(const char* const* environment);

/// Returns the text of docs/options.md.
std::string optionsPage();

} // namespace commtap
