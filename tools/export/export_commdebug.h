// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/model/model.h"

namespace commtap {

/// Returns a process's module tree in the JSON format of CommDebugMode.generate_json_dump (pytorch/pytorch,
/// torch/distributed/tensor/debug/_comm_mode.py) at noise level 0, with module types and parameters. Counts are
/// inclusive and follow the issuing module. Recomputation counts as backward, all other phases as forward.
std::string commDebugJson(const Report& report);

} // namespace commtap
