// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/tolerance.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "report/base/glob.h"

namespace commtap {
namespace {

/// Sets one part of a rule. Returns false if the part is unknown or its value is invalid.
bool setPart(Tolerance& rule, std::string_view name, std::string_view value) {
  if (name == "module") {
    rule.pattern.module = value;
  } else if (name == "group") {
    rule.pattern.group = value;
  } else if (name == "phase") {
    rule.pattern.phase = phaseFromName(value);
    return rule.pattern.phase.has_value();
  } else if (name == "kind") {
    rule.pattern.kind = kindFromName(value);
    return rule.pattern.kind.has_value();
  } else if (name == "count") {
    rule.count = parseAllowance(value);
    return rule.count.has_value();
  } else if (name == "bytes") {
    rule.bytes = parseAllowance(value);
    return rule.bytes.has_value();
  } else if (name == "ranks") {
    rule.ranks = parseAllowance(value);
    return rule.ranks.has_value();
  } else {
    return false;
  }
  return true;
}

} // namespace

bool CellPattern::matches(const CellKey& key) const {
  return (!phase || *phase == key.phase) && (!kind || *kind == key.kind) && globMatches(module, key.module) &&
         globMatches(group, key.group);
}

std::optional<Allowance> parseAllowance(std::string_view text) {
  Allowance allowance;
  allowance.is_percent = text.ends_with('%');
  if (allowance.is_percent) {
    text.remove_suffix(1);
  }
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, allowance.value);
  const bool valid = error == std::errc() && rest == end && std::isfinite(allowance.value) && allowance.value >= 0;
  return valid ? std::optional(allowance) : std::nullopt;
}

Result<Tolerance> parseTolerance(const std::string& text) {
  Tolerance rule;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, end - start);
    const size_t equals = part.find('=');
    if (equals == std::string::npos ||
        !setPart(rule, std::string_view(part).substr(0, equals), std::string_view(part).substr(equals + 1))) {
      return Result<Tolerance>::failure(
          "\"" + part +
          "\" is not module=PATTERN, phase=PHASE, kind=KIND, group=PATTERN, or count, bytes or ranks with =N or =N%");
    }
    start = end + 1;
  }
  if (!rule.count && !rule.bytes && !rule.ranks) {
    return Result<Tolerance>::failure("\"" + text + "\" sets no tolerance: add count=N, bytes=N% or ranks=N");
  }
  return rule;
}

CellTolerance toleranceFor(const std::vector<Tolerance>& rules, const CellKey& key) {
  CellTolerance tolerance;
  for (const Tolerance& rule : rules) {
    if (rule.pattern.matches(key)) {
      tolerance.count = rule.count.value_or(tolerance.count);
      tolerance.bytes = rule.bytes.value_or(tolerance.bytes);
      tolerance.ranks = rule.ranks.value_or(tolerance.ranks);
    }
  }
  return tolerance;
}

} // namespace commtap
