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

/// Returns "2.29.7" for 22907, the version code of nccl.h; "" if `version` is not a version code of NCCL 2.
std::string ncclVersionText(uint32_t version);

/// Returns torch's name of an ncclDataType_t; "" for an unknown type.
std::string_view ncclDatatypeName(uint32_t datatype);
/// Returns the bytes per element of an ncclDataType_t; 0 for an unknown type.
uint32_t ncclDatatypeSize(uint32_t datatype);

/// Merges calls that differ only in their amounts: modules with the same clean name share a row.
void mergeEqualCalls(std::vector<NcclCall>& calls);

struct NcclAmount {
  uint64_t count = 0;
  uint64_t failed = 0; ///< part of count
  uint64_t bytes = 0;

  NcclAmount& operator+=(const NcclAmount& other);
  bool operator==(const NcclAmount&) const = default;
};

NcclAmount amountOf(const NcclCall& call);

struct NcclFunctionTotals {
  std::string function;
  std::string module; ///< "" for calls that a collective makes
  NcclAmount amount;
};

/// The collectives of one op in one group, and the NCCL calls that they made.
struct NcclComparison {
  std::string op;
  std::string group; ///< groupTitle
  uint64_t asked = 0;
  uint64_t asked_bytes = 0;
  std::vector<NcclFunctionTotals> called; ///< by function
};

struct NcclTotals {
  std::vector<NcclComparison> compared;   ///< every op of an NCCL group, even without NCCL calls
  std::vector<NcclFunctionTotals> beside; ///< calls outside collectives, by function and module
};

/// Returns true if a process group's backend string names NCCL, alone or with others ("cpu:gloo,cuda:nccl").
bool isOfNccl(const std::string& backend);

/// Sums NCCL calls and collectives of one or more processes. Groups are identified by groupTitle(). Call addCall()
/// before addAsked(): an op with NCCL calls is compared even if its group's backend does not name NCCL.
class NcclSums {
 public:
  /// Adds NCCL calls. `op` is "" for calls that no collective makes.
  void addCall(
      const std::string& op,
      const std::string& group,
      const std::string& module,
      const std::string& function,
      const NcclAmount& amount);
  void addAsked(const std::string& op, const std::string& group, bool of_nccl, uint64_t count, uint64_t bytes);

  NcclTotals take() const;

 private:
  using FunctionTotals = std::map<std::pair<std::string, std::string>, NcclAmount>; ///< key: function, module
  struct OpTotals {
    uint64_t asked = 0;
    uint64_t asked_bytes = 0;
    FunctionTotals called;
  };

  static std::vector<NcclFunctionTotals> listOf(const FunctionTotals& sums);

  std::map<std::pair<std::string, std::string>, OpTotals> ops_; ///< key: op, group
  FunctionTotals beside_;
};

} // namespace commtap
