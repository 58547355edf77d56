// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/option_flags.h"

#include <fmt/format.h>

#include "report/model/options.h"

namespace commtap {

OptionTable optionFlags(std::map<std::string, std::string>& flags) {
  OptionTable options;
  for (const OptionRow& row : optionTable()) {
    if (row.flag.empty()) {
      continue;
    }
    const std::string name(row.name);
    std::string help = fmt::format("{} [{}", row.help, row.name);
    help += row.default_value.empty() ? "]" : fmt::format(", default {}]", row.default_value);
    options.push_back(
        {.names = row.flag, .value = row.type, .help = help, .to = [&flags, name](const std::string& value) {
           flags[name] = value;
         }});
  }
  return options;
}

} // namespace commtap
