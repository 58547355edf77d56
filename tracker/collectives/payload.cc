// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/payload.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <string>

#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

const char* textOf(c10d::ReduceOp::RedOpType type) {
  switch (type) {
    case c10d::ReduceOp::SUM:
      return "sum";
    case c10d::ReduceOp::AVG:
      return "avg";
    case c10d::ReduceOp::PRODUCT:
      return "product";
    case c10d::ReduceOp::MIN:
      return "min";
    case c10d::ReduceOp::MAX:
      return "max";
    case c10d::ReduceOp::BAND:
      return "band";
    case c10d::ReduceOp::BOR:
      return "bor";
    case c10d::ReduceOp::BXOR:
      return "bxor";
    case c10d::ReduceOp::PREMUL_SUM:
      return "premul_sum";
    default:
      return "unused";
  }
}

} // namespace

uint64_t bytesOfSparse(const at::Tensor& tensor) {
  return tensor._values().nbytes();
}

Payload payloadOfProduct(const c10::IValue& first, const c10::IValue& second, const c10::IValue* dtype) {
  Payload payload = payloadOf(first);
  if (!first.isTensor() || !second.isTensor() || first.toTensor().dim() == 0 || second.toTensor().dim() == 0) {
    return payload;
  }
  const at::Tensor& rows = first.toTensor();
  payload.dtype = dtype != nullptr && dtype->isInt() ? static_cast<c10::ScalarType>(dtype->toInt()) : payload.dtype;
  const auto elements = rows.size(-1) == 0 ? 0 : rows.numel() / rows.size(-1) * second.toTensor().size(-1);
  payload.bytes = static_cast<uint64_t>(elements) * c10::elementSize(payload.dtype);
  return payload;
}

StringId internDtype(size_t dtype) {
  return ProcessLedger::ledger().intern(c10::getDtypeNames(static_cast<c10::ScalarType>(dtype)).first);
}

StringId internReduceOp(size_t type) {
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): the number was made from such a type
  return ProcessLedger::ledger().intern(textOf(static_cast<c10d::ReduceOp::RedOpType>(type)));
}

StringId reduceOpNamed(const std::string& name) {
  for (const auto type : {c10d::ReduceOp::SUM, c10d::ReduceOp::AVG, c10d::ReduceOp::MAX, c10d::ReduceOp::MIN}) {
    if (name == textOf(type)) {
      return reduceOpName(type);
    }
  }
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return ProcessLedger::ledger().intern(lower);
}

} // namespace commtap
