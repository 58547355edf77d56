// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/ops/operation_count.h"

#include <optional>

#include "tracker/collectives/op_table.h"
#include "tracker/core/process_ledger.h"
#include "tracker/modules/python_bridge.h"
#include "tracker/torch/compat.h"

namespace commtap {
namespace {

CommtapTensorClass classOf(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return kCommtapPlainTensor;
  }
  if (tensor.is_meta()) {
    return kCommtapTracedTensor;
  }
  void* object = compat::pythonObject(tensor);
  return object == nullptr ? kCommtapPlainTensor : classOfPythonTensor(object);
}

/// Returns a tensor's class; for a list, the class of its first tensor that is not plain.
CommtapTensorClass classOf(const c10::IValue& value) {
  if (value.isTensor()) {
    return classOf(value.toTensor());
  }
  if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) {
      if (const CommtapTensorClass found = classOf(tensor); found != kCommtapPlainTensor) {
        return found;
      }
    }
  }
  return kCommtapPlainTensor;
}

/// Returns whether an argument is a DTensor; nullopt for a traced op.
std::optional<bool> hasDtensor(c10::ArrayRef<const c10::IValue> arguments) {
  bool dtensor = false;
  for (const c10::IValue& argument : arguments) {
    const CommtapTensorClass found = classOf(argument);
    if (found == kCommtapTracedTensor) {
      return std::nullopt;
    }
    dtensor = dtensor || found == kCommtapDtensor;
  }
  return dtensor;
}

} // namespace

void countOperation(const at::RecordFunction& function, const Origin& origin, Level level) {
  const std::optional<c10::OperatorName> op = function.operator_name();
  if (!op || compat::isTracing()) {
    return;
  }
  const std::optional<bool> dtensor = hasDtensor(function.inputs());
  if (!dtensor || (level == Level::kDtensor && !*dtensor)) {
    return;
  }
  LedgerWriter& ledger = ProcessLedger::ledger();
  const StringId name = ledger.intern(dottedName(op->name));
  LedgerOperation* row =
      ledger.row(OperationKey{origin.issued_in, name, origin.phase, static_cast<uint8_t>(*dtensor ? 1 : 0), {}});
  if (row != nullptr) {
    row->count.fetch_add(1, std::memory_order_relaxed);
  }
}

} // namespace commtap
