// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_sweep.h"

#include <nlohmann/json.hpp>

#include "report/base/text_file.h"
#include "report/json/fields.h"
#include "report/sweep/sweep.h"
#include "tools/html/page_run.h"

namespace commtap {

Result<std::string> sweepData(const std::string& file) {
  Result<std::string> text = readJsonInput(file);
  if (!text) {
    return text;
  }
  const nlohmann::json document = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document.contains(field::kSchema) || document[field::kSchema] != kSweepSchema) {
    return Result<std::string>::failure(file + " is no sweep of commtap plan (" + kSweepSchema + ")");
  }
  return page::documentText(document);
}

} // namespace commtap
