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

/// The unit of comparison between two runs: all collectives of one module, label, phase, kind and group, in set-up or
/// not, with any op and dtype.
struct CellKey {
  std::string module;
  Phase phase = Phase::kOther;
  Kind kind = Kind::kOther;
  std::string group = {}; ///< the name of a JobGroup
  std::string label = {}; ///< "" for none, and for the sum of all labels
  bool setup = false;     ///< false also for the sum with set-up

  auto operator<=>(const CellKey&) const = default; // NOLINT(modernize-use-nullptr): generated code
};

/// Selects cells, of any label, in set-up or not. A field at its default matches every cell.
struct CellPattern {
  std::string module = "**"; ///< pattern syntax: report/base/glob.h
  std::optional<Phase> phase;
  std::optional<Kind> kind;
  std::string group = "**";

  bool matches(const CellKey& key) const;
  bool operator==(const CellPattern&) const = default;
};

/// A tolerated difference: an absolute number, or a percentage of the earlier value.
struct Allowance {
  double value = 0;
  bool is_percent = false;

  double of(double before) const {
    return is_percent ? before * value / 100 : value;
  }
  bool operator==(const Allowance&) const = default;
};

/// Parses "3" or "5%". Returns nullopt for any other text, negative numbers included.
std::optional<Allowance> parseAllowance(std::string_view text);

struct Tolerance {
  CellPattern pattern;
  std::optional<Allowance> count;      ///< calls per rank
  std::optional<Allowance> bytes;      ///< payload per rank
  std::optional<Allowance> ranks = {}; ///< ranks that have the rows in one of the runs only
};

/// Parses "bytes=5%" or "module=**.moe.*,kind=all_to_all,bytes=20%,count=1": fields of a CellPattern and at least one
/// allowance. Fails with the part that is wrong.
Result<Tolerance> parseTolerance(const std::string& text);

/// The tolerance of one cell. For calls, bytes and ranks, the last matching rule that sets the number applies;
/// without such a rule nothing is tolerated.
struct CellTolerance {
  Allowance count;
  Allowance bytes;
  Allowance ranks = {};
};
CellTolerance toleranceFor(const std::vector<Tolerance>& rules, const CellKey& key);

} // namespace commtap
