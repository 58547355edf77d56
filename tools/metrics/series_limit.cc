// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/series_limit.h"

namespace commtap {

bool SeriesLimit::admit(const std::string& owner, const std::string& labels) {
  Owner& series = owners_[owner];
  series.used = true;
  if (series.admitted.size() < per_owner_) {
    series.admitted.insert(labels);
    return true;
  }
  return series.admitted.contains(labels);
}

void SeriesLimit::forgetUnused() {
  std::erase_if(owners_, [](const auto& owner) { return !owner.second.used; });
  for (auto& [name, owner] : owners_) {
    owner.used = false;
  }
}

} // namespace commtap
