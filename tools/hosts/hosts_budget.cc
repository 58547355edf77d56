// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/hosts_budget.h"

#include <algorithm>

#include <fmt/format.h>

namespace commtap {

std::string HostsBudget::read(const GetTarget& target, const HttpLimits& limits, const BodySink& sink) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now());
  if (left.count() <= 0) {
    return fmt::format("not asked, for all hosts together took {} s", time_.count());
  }
  HttpLimits mine = limits;
  mine.answer = std::min(mine.answer, left);
  return readPage(target, mine, [&](std::string_view piece) {
    taken_ += piece.size();
    return taken_ > bytes_ ? fmt::format("all hosts together answer with more than {} MiB", bytes_ >> 20U)
                           : sink(piece);
  });
}

} // namespace commtap
