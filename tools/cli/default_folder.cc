// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/default_folder.h"

#include <cstdlib>

#include "report/model/options.h"
#include "report/runs/output.h"

namespace commtap {

std::string defaultFolder() {
  const char* set = std::getenv("COMMTAP_OUT");
  return commonFolder(set == nullptr || *set == '\0' ? Options().out : set);
}

} // namespace commtap
