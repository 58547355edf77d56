// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/result.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// What is compared between two runs: everything of one module, phase, kind and group, whatever the op and dtype.
struct CellKey {
  std::string module;
  Phase phase = Phase::kOther;
  Kind kind = Kind::kOther;
  std::string group; ///< a JobGroup's name

  auto operator<=>(const CellKey&) const = default; // NOLINT(modernize-use-nullptr): generated code
};

/// Which cells something holds for. What is not said holds for all.
struct CellPattern {
  std::string module = "**"; ///< report/base/glob.h
  std::optional<Phase> phase;
  std::optional<Kind> kind;
  std::string group = "**";

  bool matches(const CellKey& key) const;
  bool operator==(const CellPattern&) const = default;
};

/// A difference that is let pass: an absolute one, or a share of what was before.
struct Allowance {
  double value = 0;
  bool is_percent = false;

  double of(double before) const {
    return is_percent ? before * value / 100 : value;
  }
  bool operator==(const Allowance&) const = default;
};

/// "3", "5%". nullopt for anything else; nothing is negative.
std::optional<Allowance> parseAllowance(std::string_view text);

struct Tolerance {
  CellPattern pattern;
  std::optional<Allowance> count; ///< calls of a rank
  std::optional<Allowance> bytes; ///< of a rank
};

/// "bytes=5%", "module=**.moe.*,kind=all_to_all,bytes=20%,count=1": fields of a CellPattern, and at least one
/// allowance. Fails with the part that is wrong.
Result<Tolerance> parseTolerance(const std::string& text);

/// What is let pass for a cell: of each number the last rule that fits and speaks of it; nothing if none does.
struct CellTolerance {
  Allowance count;
  Allowance bytes;
};
CellTolerance toleranceFor(const std::vector<Tolerance>& rules, const CellKey& key);

} // namespace commtap
