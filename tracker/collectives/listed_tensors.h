// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tracker/attribution/attribution.h"
#include "tracker/collectives/collective_kernel.h"

namespace commtap {

/// Returns the tensors of a call if one of its arguments is a list of them; nullptr for any other call. The longest
/// list makes up the payload: at the root of a gather or scatter it has the tensors of all ranks. Refers to the
/// arguments.
template <typename AnyArgument>
std::unique_ptr<ListedTensors> listTensors(const OpFacts& facts, const AnyArgument* arguments);

} // namespace commtap
