// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/model/model.h"

namespace commtap {

/// Adds to Report::members from the parameters of the modules. A row of an FSDP2 unit, or of a DDP model with one
/// bucket, has members if their sizes add up to its payload exactly. A row that has members keeps them; any other row
/// has none. At most kMostMembers in all.
void setMembers(Report& report);
inline constexpr size_t kMostMembers = 64U << 10U;

} // namespace commtap
