// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/json/json_cursor.h"
#include "report/model/model.h"

namespace commtap {

/// Adds the report's section `nccl` to a document.
void appendNccl(std::string& text, const Nccl& nccl);

/// Throws as the cursor does.
Nccl ncclFrom(const JsonCursor& cursor);

} // namespace commtap
