// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/model.h"

namespace commtap {

/// "2.29.7" of 22907, as nccl.h makes the number; "" if `version` is none.
std::string ncclVersionText(uint32_t version);

/// By nccl.h's ncclDataType_t; "" for one that is not known here.
std::string_view ncclDatatypeName(uint32_t datatype);
/// Bytes of one element; 0 for one that is not known here.
uint32_t ncclDatatypeSize(uint32_t datatype);

/// "call", "plugin".
std::string_view ncclSourceName(NcclSource source);

/// Modules that share a clean name share its rows.
void mergeEqualCalls(std::vector<NcclCall>& calls);

struct NcclFunctionTotals {
  std::string function;
  std::string module; ///< only of calls that no collective makes
  uint64_t count = 0;
  uint64_t failed = 0;
  uint64_t bytes = 0;
};

/// What c10d was asked for by one op in one group, and what NCCL was called with for it.
struct NcclComparison {
  std::string op;
  std::string group; ///< groupTitle
  uint64_t asked = 0;
  uint64_t asked_bytes = 0;
  std::vector<NcclFunctionTotals> called; ///< by function
};

struct NcclTotals {
  std::vector<NcclComparison> compared;   ///< every op of a group of NCCL's, also one that never came to it
  std::vector<NcclFunctionTotals> beside; ///< calls that no collective makes, by function and module
};

/// `phase`: that one alone.
NcclTotals ncclTotalsOf(std::span<const Report* const> reports, std::optional<Phase> phase);

} // namespace commtap
