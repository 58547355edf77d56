// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/json/json_cursor.h"
#include "report/model/model.h"

namespace commtap {

/// Adds the report's section `cuda_graphs` to a document, if there are any.
void appendCudaGraphs(std::string& text, const std::vector<CudaGraph>& graphs);

/// Throws as the cursor does.
CudaGraph cudaGraphFrom(const JsonCursor& cursor);

} // namespace commtap
