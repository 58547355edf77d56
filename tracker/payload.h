// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <ATen/core/ivalue.h>

#include "report/ledger_format.h"

namespace commtap {

/// What a tensor argument, or a list of any depth of them, holds.
struct Payload {
  uint64_t bytes = 0;
  c10::ScalarType dtype = c10::ScalarType::Undefined; ///< of the first tensor
};

Payload payloadOf(const c10::IValue& tensors);

/// The start of the memory that the first tensor lies in; nullptr for none.
const void* firstStorage(const c10::IValue& tensors);

/// "float32", as Python says it without the "torch."; 0 for none.
StringId dtypeName(const Payload& payload);
StringId dtypeName(c10::ScalarType dtype);

/// "sum", "avg", ...; from c10d's ReduceOp object or the text that functional collectives take.
StringId reduceOpName(const c10::IValue& reduce_op);

} // namespace commtap
