// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <c10/core/TensorImpl.h>

#include "report/samples/digest.h"

namespace commtap {

/// Returns the digest of a tensor's elements in their logical order; nullopt unless it is a strided tensor whose values
/// are in the CPU's memory, of a dtype that DigestType has or of complex numbers, which are pairs. Calls no op and no
/// code of a subclass. May throw std::bad_alloc: elements that do not lie one after the other are copied.
std::optional<Digest> digestOfTensor(const c10::TensorImpl& tensor);

/// Returns the gradient that a tensor keeps, nullptr for none. Python's `.grad` warns if the tensor is no leaf, as the
/// shards that Megatron's distributed optimizer updates.
const c10::TensorImpl* keptGradient(const c10::TensorImpl& tensor);

} // namespace commtap
