// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/samples_paths.h"

#include "report/runs/report_paths.h"

namespace commtap {

std::vector<std::string> samplesPaths(const std::string& path, std::vector<std::string>& problems) {
  return filesBelow(
      path, [](const std::string& name) { return name.ends_with(kSamplesEnding); }, problems);
}

} // namespace commtap
