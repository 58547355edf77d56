// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/foreign_files.h"

#include "report/base/text_file.h"
#include "report/json/report_head.h"
#include "report/ledger_reader/ledger_image.h"

namespace commtap {

bool isForeign(const std::string& path) {
  constexpr size_t kEnough = 256; // bytes
  const Result<std::string> start = readStartOfInput(path, kEnough);
  return start && !schemaOf(*start).value_or("").starts_with("commtap") && !isLedgerFile(path);
}

size_t addForeign(const std::vector<std::string>& errors, std::vector<std::string>& problems) {
  constexpr size_t kMostNamed = 3;
  if (errors.size() <= kMostNamed) {
    problems.insert(problems.end(), errors.begin(), errors.end());
    return 0;
  }
  problems.push_back(std::to_string(errors.size()) + " files are not commtap's, among them " + errors.front());
  return errors.size() - 1;
}

} // namespace commtap
