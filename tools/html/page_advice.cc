// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_advice.h"

#include <algorithm>
#include <vector>

#include "report/advice/advice.h"
#include "report/json/fields.h"
#include "tools/job/advice_text.h"

namespace commtap::page {

nlohmann::json adviceOf(const JobReport& job) {
  constexpr size_t kMostRows = 20;
  nlohmann::json list = nlohmann::json::array();
  for (const Advice& advice : adviceFor(job)) {
    nlohmann::json rows = nlohmann::json::array();
    for (size_t i = 0; i < std::min(advice.rows.size(), kMostRows); ++i) {
      rows.push_back(advice.rows[i] - job.collectives.data());
    }
    list.push_back({
        {"rule", advice.rule->name},
        {"text", advice.rule->text},
        {"link", advice.rule->link},
        {field::kGroup, advice.group},
        {"stake", stakeText(advice, job)},
        {"rows", std::move(rows)},
        {"row_count", advice.rows.size()},
    });
  }
  return list;
}

} // namespace commtap::page
