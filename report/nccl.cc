// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/nccl.h"

#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "report/totals.h"

namespace commtap {
namespace {

struct Datatype {
  std::string_view name; ///< as torch calls it
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

constexpr uint32_t kFirstVersion = 2000; ///< of NCCL 2

bool isOfNccl(const Report& report, const std::string& group) {
  const Group* found = groupNamed(report, group);
  return found != nullptr && found->backend.find("nccl") != std::string::npos;
}

using FunctionTotals = std::map<std::pair<std::string, std::string>, NcclFunctionTotals>; ///< by function, module

void addTo(FunctionTotals& sums, const NcclCall& call, const std::string& module) {
  NcclFunctionTotals& sum = sums[{call.function, module}];
  sum.function = call.function;
  sum.module = module;
  sum.count += call.count;
  sum.failed += call.failed;
  sum.bytes += call.bytes;
}

std::vector<NcclFunctionTotals> valuesOf(FunctionTotals& sums) {
  std::vector<NcclFunctionTotals> values;
  for (auto& [key, sum] : sums) {
    values.push_back(std::move(sum));
  }
  return values;
}

struct OpTotals {
  uint64_t count = 0;
  uint64_t bytes = 0;
  FunctionTotals called;
};

class Sums {
 public:
  explicit Sums(std::optional<Phase> phase) : phase_(phase) {}

  void add(const Report& report) {
    for (const NcclCall& call : report.nccl->calls) {
      if (!isWanted(call.phase)) {
        continue;
      }
      if (call.op.empty()) {
        addTo(beside_, call, call.module);
      } else {
        addTo(ops_[{call.op, groupTitle(report, call.group)}].called, call, "");
      }
    }
    for (const Collective& row : report.collectives) {
      const std::pair<std::string, std::string> key{row.op, groupTitle(report, row.group)};
      if (isWanted(row.phase) && (isOfNccl(report, row.group) || ops_.contains(key))) {
        OpTotals& op = ops_[key];
        op.count += row.count;
        op.bytes += row.bytes;
      }
    }
  }

  NcclTotals take() {
    NcclTotals totals;
    for (auto& [key, op] : ops_) {
      totals.compared.push_back({key.first, key.second, op.count, op.bytes, valuesOf(op.called)});
    }
    totals.beside = valuesOf(beside_);
    return totals;
  }

 private:
  bool isWanted(Phase phase) const {
    return !phase_ || *phase_ == phase;
  }

  std::optional<Phase> phase_;
  std::map<std::pair<std::string, std::string>, OpTotals> ops_; ///< by op, group
  FunctionTotals beside_;
};

} // namespace

std::string ncclVersionText(uint32_t version) {
  if (version < kFirstVersion) {
    return "";
  }
  const uint32_t major = version >= 10000 ? version / 10000 : version / 1000; // 2.8 and older: 1000 * major
  const uint32_t rest = version >= 10000 ? version % 10000 : version % 1000;
  return std::to_string(major) + "." + std::to_string(rest / 100) + "." + std::to_string(rest % 100);
}

std::string_view ncclDatatypeName(uint32_t datatype) {
  return datatype < kDatatypes.size() ? kDatatypes[datatype].name : std::string_view();
}

uint32_t ncclDatatypeSize(uint32_t datatype) {
  return datatype < kDatatypes.size() ? kDatatypes[datatype].size : 0;
}

std::string_view ncclSourceName(NcclSource source) {
  return source == NcclSource::kPlugin ? "plugin" : "call";
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
    row.count += call.count;
    row.failed += call.failed;
    row.bytes += call.bytes;
    row.captured += call.captured;
  }
  calls = std::move(merged);
}

NcclTotals ncclTotalsOf(std::span<const Report* const> reports, std::optional<Phase> phase) {
  Sums sums(phase);
  for (const Report* report : reports) {
    if (report->nccl) {
      sums.add(*report);
    }
  }
  return sums.take();
}

} // namespace commtap
