// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "report/model/model.h"
#include "tools/text/table.h"

namespace commtap {

/// The ops of all ranks, counted by module, phase, op, and whether an argument was a DTensor.
class OperationCounts {
 public:
  using Key = std::tuple<std::string, Phase, std::string, bool>;

  /// Counts only `phase`, if it is set.
  explicit OperationCounts(std::optional<Phase> phase = std::nullopt) : phase_(phase) {}

  void add(const Report& report);

  /// Returns whether any process counted ops (COMMTAP_LEVEL).
  bool isKnown() const {
    return is_known_;
  }
  const std::map<Key, uint64_t>& counts() const {
    return counts_;
  }
  /// Returns whether a count does not fit into 64 bits.
  bool isSaturated() const;

 private:
  std::optional<Phase> phase_;
  bool is_known_ = false;
  std::map<Key, uint64_t> counts_;
};

/// Returns the table of ops by module, or a line that says why there are no ops. `module`: a pattern of the modules to
/// show; "" for all.
std::string operationsText(const OperationCounts& operations, const Color& color, const std::string& module = {});

} // namespace commtap
