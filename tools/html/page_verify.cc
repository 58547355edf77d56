// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_verify.h"

#include "report/replicas/verify_vocabulary.h"

namespace commtap::page {

nlohmann::json verifyOf(const Verification* verification) {
  if (verification == nullptr) {
    return nullptr;
  }
  nlohmann::json found = nlohmann::json::array();
  for (const VerifyFinding& finding : verification->findings) {
    if (finding.severity != VerifySeverity::kNote) {
      found.push_back(finding.lines);
    }
  }
  return {
      {"status", verifyStatusName(verification->status)},
      {"line", verification->line},
      {"found", std::move(found)},
  };
}

} // namespace commtap::page
