// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/own_cost.h"

#include "report/json/json_row.h"

namespace commtap {

void appendOwnCost(std::string& text, const std::optional<OwnCost>& cost) {
  if (!cost) {
    return;
  }
  text += ",\n  \"" + std::string(field::kOwnCost) + "\": ";
  JsonRow object(text);
  for (const OwnCostField& field : kOwnCostFields) {
    object.addNumber(field.name, (*cost).*field.value);
  }
}

OwnCost ownCostFrom(const JsonCursor& cursor) {
  OwnCost cost;
  for (const OwnCostField& field : kOwnCostFields) {
    cost.*field.value = cursor.number<uint64_t>(field.name);
  }
  return cost;
}

} // namespace commtap
