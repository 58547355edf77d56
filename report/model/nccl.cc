// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/nccl.h"

#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "report/model/amounts.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

struct Datatype {
  std::string_view name; ///< torch's name of the type
  uint32_t size;
};

constexpr std::array<Datatype, 12> kDatatypes = {{
    {"int8", 1},
    {"uint8", 1},
    {"int32", 4},
    {"uint32", 4},
    {"int64", 8},
    {"uint64", 8},
    {"float16", 2},
    {"float32", 4},
    {"float64", 8},
    {"bfloat16", 2},
    {"float8_e4m3fn", 1},
    {"float8_e5m2", 1},
}};

constexpr uint32_t kFirstVersion = 2000; ///< the lowest version code of NCCL 2

} // namespace

std::string ncclVersionText(uint32_t version) {
  if (version < kFirstVersion) {
    return "";
  }
  // Up to NCCL 2.8 the code is 1000 * major + 100 * minor + patch.
  const uint32_t major = version >= 10000 ? version / 10000 : version / 1000;
  const uint32_t rest = version >= 10000 ? version % 10000 : version % 1000;
  return std::to_string(major) + "." + std::to_string(rest / 100) + "." + std::to_string(rest % 100);
}

std::string_view ncclDatatypeName(uint32_t datatype) {
  return datatype < kDatatypes.size() ? kDatatypes[datatype].name : std::string_view();
}

uint32_t ncclDatatypeSize(uint32_t datatype) {
  return datatype < kDatatypes.size() ? kDatatypes[datatype].size : 0;
}

void mergeEqualCalls(std::vector<NcclCall>& calls) {
  using Key = std::tuple<
      std::string,
      std::optional<uint32_t>,
      std::string,
      std::string,
      std::string,
      Phase,
      std::string,
      std::optional<bool>,
      NcclSource>;
  std::map<Key, size_t> places;
  std::vector<NcclCall> merged;
  for (NcclCall& call : calls) {
    const Key key{
        call.function,
        call.communicator,
        call.op,
        call.group,
        call.module,
        call.phase,
        call.dtype,
        call.in_group,
        call.source};
    const auto [place, is_new] = places.emplace(key, merged.size());
    if (is_new) {
      merged.push_back(std::move(call));
      continue;
    }
    NcclCall& row = merged[place->second];
    addSaturating(row.count, call.count);
    addSaturating(row.failed, call.failed);
    addSaturating(row.bytes, call.bytes);
    addSaturating(row.captured, call.captured);
  }
  calls = std::move(merged);
}

NcclAmount& NcclAmount::operator+=(const NcclAmount& other) {
  addSaturating(count, other.count);
  addSaturating(failed, other.failed);
  addSaturating(bytes, other.bytes);
  return *this;
}

NcclAmount amountOf(const NcclCall& call) {
  return {call.count, call.failed, call.bytes};
}

bool isOfNccl(const std::string& backend) {
  return backend.find("nccl") != std::string::npos;
}

void NcclSums::addCall(
    const std::string& op,
    const std::string& group,
    const std::string& module,
    const std::string& function,
    const NcclAmount& amount) {
  if (op.empty()) {
    beside_[{function, module}] += amount;
  } else {
    ops_[{op, group}].called[{function, ""}] += amount;
  }
}

void NcclSums::addAsked(const std::string& op, const std::string& group, bool of_nccl, uint64_t count, uint64_t bytes) {
  if (of_nccl || ops_.contains({op, group})) {
    OpTotals& totals = ops_[{op, group}];
    addSaturating(totals.asked, count);
    addSaturating(totals.asked_bytes, bytes);
  }
}

std::vector<NcclFunctionTotals> NcclSums::listOf(const FunctionTotals& sums) {
  std::vector<NcclFunctionTotals> list;
  for (const auto& [key, amount] : sums) {
    list.push_back({key.first, key.second, amount});
  }
  return list;
}

NcclTotals NcclSums::take() const {
  NcclTotals totals;
  for (const auto& [key, op] : ops_) {
    totals.compared.push_back({key.first, key.second, op.asked, op.asked_bytes, listOf(op.called)});
  }
  totals.beside = listOf(beside_);
  return totals;
}

} // namespace commtap
