// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// "2.29.7" of 22907, as nccl.h makes the number; "" if `version` is none.
std::string ncclVersionText(uint32_t version);

/// By nccl.h's ncclDataType_t; "" for one that is not known here.
std::string_view ncclDatatypeName(uint32_t datatype);
/// Bytes of one element; 0 for one that is not known here.
uint32_t ncclDatatypeSize(uint32_t datatype);

/// "call", "plugin".
std::string_view ncclSourceName(NcclSource source);
std::optional<NcclSource> ncclSourceFromName(std::string_view name);

/// Modules that share a clean name share its rows.
void mergeEqualCalls(std::vector<NcclCall>& calls);

struct NcclAmount {
  uint64_t count = 0;
  uint64_t failed = 0; ///< of these
  uint64_t bytes = 0;

  NcclAmount& operator+=(const NcclAmount& other);
  bool operator==(const NcclAmount&) const = default;
};

NcclAmount amountOf(const NcclCall& call);

struct NcclFunctionTotals {
  std::string function;
  std::string module; ///< only of calls that no collective makes
  NcclAmount amount;
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

/// Whether a process group's backend is NCCL, or NCCL beside others ("cpu:gloo,cuda:nccl").
bool isOfNccl(const std::string& backend);

/// Adds them up, of one process or many. Groups are by title. Calls before what was asked, so that an op which came to
/// NCCL is compared whatever its group's backend is called.
class NcclSums {
 public:
  /// `op`: "" for calls that no collective makes.
  void addCall(
      const std::string& op,
      const std::string& group,
      const std::string& module,
      const std::string& function,
      const NcclAmount& amount);
  void addAsked(const std::string& op, const std::string& group, bool of_nccl, uint64_t count, uint64_t bytes);

  NcclTotals take() const;

 private:
  using FunctionTotals = std::map<std::pair<std::string, std::string>, NcclAmount>; ///< by function, module
  struct OpTotals {
    uint64_t asked = 0;
    uint64_t asked_bytes = 0;
    FunctionTotals called;
  };

  static std::vector<NcclFunctionTotals> listOf(const FunctionTotals& sums);

  std::map<std::pair<std::string, std::string>, OpTotals> ops_; ///< by op, group
  FunctionTotals beside_;
};

} // namespace commtap
