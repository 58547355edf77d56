// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// What one rank has issued under the number.
struct RankCall {
  std::optional<int64_t> rank;
  LastCollective call;
};

/// Ranks of one group that have issued different collectives under one number: they wait for each other, or take each
/// other's data for their own.
struct SequenceMismatch {
  Group group;
  uint64_t sequence = 0;
  std::vector<RankCall> calls; ///< one of each sort, by rank
};

/// The first of each group, among the collectives that reports still have. Kinds, types and, where all ranks must have
/// as much, payloads are compared.
std::vector<SequenceMismatch> mismatchesOf(std::span<const Report* const> reports);

} // namespace commtap
