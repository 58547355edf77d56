// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/model/model.h"

namespace commtap {

/// Returns whether a call of the process had not returned, or had failed, or had not completed in a group whose
/// completions are known.
bool hasCallUnderWay(const Report& report);

} // namespace commtap
