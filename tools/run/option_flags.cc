// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/option_flags.h"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "report/model/options.h"

namespace commtap {

void addOptionFlags(CLI::App& verb, std::map<std::string, std::string>& flags) {
  for (const OptionRow& row : optionTable()) {
    if (row.flag.empty()) {
      continue;
    }
    const std::string name(row.name);
    std::string help = fmt::format("{} [{}", row.help, row.name);
    help += row.default_value.empty() ? "]" : fmt::format(", default {}]", row.default_value);
    verb.add_option_function<std::string>(
            std::string(row.flag), [&flags, name](const std::string& value) { flags[name] = value; }, help)
        ->type_name(std::string(row.type));
  }
}

bool isOptionFlag(const std::string& argument) {
  const auto& rows = optionTable();
  return std::any_of(rows.begin(), rows.end(), [&argument](const OptionRow& row) {
    return !row.flag.empty() && argument == row.flag;
  });
}

} // namespace commtap
