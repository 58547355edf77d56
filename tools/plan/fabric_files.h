// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/compare/fabric.h"

namespace commtap {

/// Reads measured times: each path is a file of nccl-tests, or the folder of a run. Without paths the fabric is empty.
Result<Fabric> readFabric(const std::vector<std::string>& paths);

} // namespace commtap
