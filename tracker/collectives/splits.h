// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include "report/ledger/ledger_format.h"
#include "report/model/vocabulary.h"
#include "tracker/collectives/argument.h"

namespace commtap {

/// The form in which an op's arguments say how a call is split between the ranks of its group.
enum class SplitForm : uint8_t {
  kNone,
  kSizes,       ///< integers, along the first dimension; an empty list means equal parts
  kLists,       ///< tensors
  kUnevenLists, ///< tensors; if all are of one size, the call is not split
};

/// The arguments of an op that describe how a call is split. Memory of a device is not read.
struct SplitFacts {
  SplitForm form = SplitForm::kNone;
  std::optional<size_t> parts; ///< the argument whose sizes are added up by peer: what is sent, if anything is
  std::optional<size_t> other; ///< the argument with the sizes of the other direction
};

SplitFacts splitFactsOf(const c10::FunctionSchema& schema, Kind kind);

/// The sizes of an argument: numbers, or the bytes of tensors.
struct SplitSizes {
  uint64_t parts = 0;
  uint64_t sum = 0;
  uint64_t largest = 0;
  uint64_t smallest = UINT64_MAX;
  uint64_t zeros = 0;
  bool are_plain = true; ///< false if one is symbolic, which only a guard or a device could turn into a number
};

/// Adds the split sizes of a call to its row. A call without split sizes, with symbolic ones, or with another number of
/// them than the group has ranks is left out. `bytes`: the payload. `group_size` is 0 if not known.
template <typename AnyArgument>
void countSplits(
    const SplitFacts& facts,
    const AnyArgument* arguments,
    const LedgerCollective& row,
    uint64_t bytes,
    uint32_t group_size);

} // namespace commtap
