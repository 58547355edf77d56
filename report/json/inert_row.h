// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "report/base/redaction.h"
#include "report/json/nccl_columns.h"
#include "report/json/process_columns.h"
#include "report/json/report_tables.h"
#include "report/json/row_columns.h"

namespace commtap {

/// Makes every text of a report inert (redaction.h). Names come from the job, and the columns lead to all of them: what
/// writes text for a terminal, a page or a comment cannot forget one.
template <typename Value>
void makeInert(Value& value);

template <typename Value>
void makeInert(std::vector<Value>& values) {
  if constexpr (!std::is_arithmetic_v<Value>) {
    for (Value& value : values) {
      makeInert(value);
    }
  }
}

template <typename Value>
void makeInert(std::optional<Value>& value) {
  if (value) {
    makeInert(*value);
  }
}

inline void makeInert(CollectiveTime& time) {
  Stalls stalls;
  for (auto& [place, stall] : time.stalled_in) {
    stalls[{inert(place.module), place.phase}] = stall;
  }
  time.stalled_in = std::move(stalls);
}

template <typename Value>
void makeInert(Value& value) {
  const auto member = [&value](const auto& column) {
    if constexpr (!std::is_same_v<typename std::remove_cvref_t<decltype(column)>::Format, JsonObject>) { // has no names
      makeInert(value.*column.member);
    }
  };
  if constexpr (std::is_same_v<Value, std::string>) {
    const auto is_plain = [](unsigned char letter) { return letter >= ' ' && letter < 0x7f; };
    if (!std::all_of(value.begin(), value.end(), is_plain)) {
      value = inert(value);
    }
  } else if constexpr (Described<Value>) {
    forEachColumn<Value>(member);
  } else if constexpr (!std::is_same_v<std::remove_cv_t<decltype(kTables<Value>)>, std::nullptr_t>) {
    forEachTable<Value>(member);
  }
}

/// Makes a report inert, with the job that it is of.
inline void makeInertReport(Report& report) {
  makeInert(report.job);
  makeInert(report);
}

} // namespace commtap
