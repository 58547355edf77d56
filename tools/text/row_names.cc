// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/row_names.h"

#include <algorithm>
#include <map>
#include <utility>

#include "report/model/rank_ranges.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// The parts of a row's key that its name may lack.
using Parts = std::vector<std::string>;

std::string asyncText(AsyncOp async_op) {
  return async_op == AsyncOp::kYes ? "async" : async_op == AsyncOp::kNo ? "not async" : "";
}

Parts partsOf(const JobCollective& row) {
  return {
      row.op,
      row.dtype,
      row.reduce_op,
      asyncText(row.async_op),
      row.issued_in == row.module ? "" : "issued in " + row.issued_in,
      row.compiled ? "compiled" : ""};
}

/// Writes into `texts` the parts in which the rows at `places` differ.
void addDistinctions(const std::vector<std::pair<size_t, Parts>>& places, std::vector<std::string>& texts) {
  for (size_t part = 0; part < places.front().second.size(); ++part) {
    const std::string& first = places.front().second[part];
    const bool differs =
        std::any_of(places.begin(), places.end(), [&](const auto& place) { return place.second[part] != first; });
    for (const auto& [place, parts] : places) {
      if (differs && !parts[part].empty()) {
        texts[place] += ", " + inert(parts[part]);
      }
    }
  }
}

} // namespace

std::vector<std::string> distinctionsOf(
    std::span<const JobCollective* const> rows,
    std::span<const std::string> names) {
  std::map<std::string, std::vector<std::pair<size_t, Parts>>> by_name;
  for (size_t i = 0; i < rows.size(); ++i) {
    by_name[names[i]].emplace_back(i, partsOf(*rows[i]));
  }
  std::vector<std::string> texts(rows.size());
  for (const auto& [name, places] : by_name) {
    addDistinctions(places, texts);
  }
  return texts;
}

std::string groupLabel(const JobGroup& group) {
  const bool is_known = !group.desc.empty() || group.members.size() != 1;
  return inert(group.name) + (is_known ? "" : " [" + rangesText(group.members.front()) + "]");
}

} // namespace commtap
