// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <string>

#include <c10/core/ScalarType.h>

#include "report/ledger_format.h"
#include "tracker/argument.h"

namespace commtap {

/// What a tensor argument, or a list of any depth of them, holds.
struct Payload {
  uint64_t bytes = 0;
  c10::ScalarType dtype = c10::ScalarType::Undefined; ///< of the first tensor
};

Payload payloadOf(const Argument& tensors);

/// The start of the memory that the first tensor lies in; nullptr for none.
const void* firstStorage(const Argument& tensors);

/// "float32", as Python says it without the "torch."; 0 for none.
StringId dtypeName(const Payload& payload);
StringId dtypeName(c10::ScalarType dtype);

/// "sum", "avg", ...; from c10d's ReduceOp object or the text that functional collectives take.
StringId reduceOpName(const Argument& reduce_op);

/// nullptr for anything else.
const c10d::ProcessGroup* processGroupOf(const Argument& argument);
const std::string* textOf(const Argument& argument);

bool isTrue(const Argument& argument);
int64_t integerOf(const Argument& argument);

} // namespace commtap
