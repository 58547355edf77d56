// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/model/model.h"

namespace commtap {

/// One process's module tree in the JSON shape of CommDebugMode.generate_json_dump
/// (pytorch/pytorch, torch/distributed/tensor/debug/_comm_mode.py) at noise level 0 with the modules' facts. Counts are
/// inclusive and belong to the module in which a call was made; its backward includes recomputation, its forward
/// everything else.
std::string commDebugJson(const Report& report);

} // namespace commtap
