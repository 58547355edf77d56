// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job_report.h"

#include <algorithm>

namespace commtap {
namespace {

constexpr std::array<std::string_view, kDisagreementKinds> kNames = {"count", "unmatched", "bytes", "module"};

} // namespace

std::string_view disagreementName(Disagreement::What what) {
  return kNames[static_cast<size_t>(what)];
}

std::optional<Disagreement::What> disagreementFromName(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? std::nullopt : std::optional(static_cast<Disagreement::What>(found - kNames.begin()));
}

} // namespace commtap
