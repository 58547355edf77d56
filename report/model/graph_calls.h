// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/model/model.h"

namespace commtap {

/// Adds a call that each launch of a CUDA graph makes. Equal calls become one entry, whose counts and bytes are sums.
void addGraphCall(std::vector<GraphCollective>& calls, GraphCollective call);
/// Adds an NCCL call that each launch of a CUDA graph makes. Equal calls become one entry with summed amounts.
void addGraphCall(std::vector<GraphNcclCall>& calls, GraphNcclCall call);

} // namespace commtap
