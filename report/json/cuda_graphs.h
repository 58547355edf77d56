// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/json/json_cursor.h"
#include "report/model/model.h"

namespace commtap {

/// One more of a launch's calls; equal ones are one.
void addGraphCall(std::vector<GraphCollective>& calls, GraphCollective call);
void addGraphCall(std::vector<GraphNcclCall>& calls, GraphNcclCall call);

/// Adds the report's section `cuda_graphs` to a document, if there are any.
void appendCudaGraphs(std::string& text, const std::vector<CudaGraph>& graphs);

/// Throws as the cursor does.
CudaGraph cudaGraphFrom(const JsonCursor& cursor);

} // namespace commtap
