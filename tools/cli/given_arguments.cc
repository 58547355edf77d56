// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/given_arguments.h"

#include <algorithm>
#include <utility>

namespace commtap {

SplitArguments splitAtDashes(const std::vector<std::string>& arguments) {
  const auto border = std::find(arguments.begin(), arguments.end(), "--");
  return {{arguments.begin(), border}, {border + (border == arguments.end() ? 0 : 1), arguments.end()}};
}

std::vector<std::string> GivenArguments::read(const std::vector<std::string>& arguments) {
  const auto entry = arguments.empty() ? splits_.end() : splits_.find(arguments[0]);
  if (entry == splits_.end()) {
    return arguments;
  }
  auto [own, command] = entry->second({arguments.begin() + 1, arguments.end()});
  command_ = std::move(command);
  own.insert(own.begin(), arguments[0]);
  return own;
}

} // namespace commtap
