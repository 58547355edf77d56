// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/timing.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// What a label is (`record_function` in Python, `RECORD_USER_SCOPE` in C++) beside what torch itself labels.
enum class Labels : uint8_t {
  kAuto,   ///< scopes in a process without Python, where they are the only hierarchy there is
  kScopes, ///< scopes everywhere
  kOff,
};

enum class LogLevel : uint8_t { kOff, kError, kWarning, kInfo, kDebug };

/// Every setting of the shim and tracker, read once from the environment.
struct Options {
  bool enabled = true;
  std::string out = "commtap-out";
  LogLevel log = LogLevel::kWarning;
  std::string run_id;
  std::vector<std::string> ops;
  Level level = Level::kCollectives;
  Labels labels = Labels::kAuto;
  Timing timing;
};

/// One row of the option table: the one place from which the parser, `commtap run --help` and docs/options.md come.
struct OptionRow {
  std::string_view name;          ///< environment variable
  std::string_view flag;          ///< of `commtap run`; "" if it has none
  std::string_view type;          ///< "switch", "folder", "text", "list", or the allowed values joined by "|"
  std::string_view default_value; ///< as a user would write it
  std::string_view help;
  std::string_view wanted = {}; ///< what a value must be, for messages; "": the words of `type`
  /// Sets the option. Returns false and leaves `options` unchanged if `value` is not allowed. `row` is this row.
  bool (*apply)(Options& options, std::string_view value, const OptionRow& row);
};

std::span<const OptionRow> optionTable();

/// What a value must be, for messages: "off, error or debug" of the type "off|error|debug".
std::string wantedValue(const OptionRow& row);

struct ParsedOptions {
  Options options;
  std::vector<std::string> warnings; ///< one line for each bad value or unknown COMMTAP_ name
};

/// `environment`: "NAME=value" strings, nullptr at the end, as `environ`.
ParsedOptions parseOptions(const char* const* environment);

/// docs/options.md.
std::string optionsPage();

} // namespace commtap
