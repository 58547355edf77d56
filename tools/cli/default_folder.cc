// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/default_folder.h"

#include <cstdlib>

#include "report/model/options.h"

namespace commtap {

std::string defaultFolder() {
  const char* set = std::getenv("COMMTAP_OUT");
  const std::string pattern = set == nullptr || *set == '\0' ? Options().out : set;
  const size_t sign = pattern.find('%');
  if (sign == std::string::npos) {
    return pattern;
  }
  const size_t end = pattern.rfind('/', sign);
  return end == std::string::npos ? "." : pattern.substr(0, end == 0 ? 1 : end);
}

} // namespace commtap
