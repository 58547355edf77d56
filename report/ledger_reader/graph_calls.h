// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/model/model.h"

namespace commtap {

/// Adds a collective that each launch of a CUDA graph makes. Equal calls share one entry with summed counts and bytes.
void addGraphCall(std::vector<GraphCollective>& calls, GraphCollective call);
/// Adds an NCCL call that each launch of a CUDA graph makes. Equal calls share one entry with summed counts and bytes.
void addGraphCall(std::vector<GraphNcclCall>& calls, GraphNcclCall call);

} // namespace commtap
