// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "tools/text/table.h"

namespace commtap {

/// The CUDA graphs of all processes. Equal graphs are one row.
class GraphCounts {
 public:
  struct Row {
    CudaGraph graph;
    size_t processes = 0;
  };

  void add(const Report& report);

  const std::vector<Row>& rows() const {
    return rows_;
  }

 private:
  std::vector<Row> rows_;
};

/// Returns the table of CUDA graphs, largest traffic first; "" if there are no graphs.
std::string cudaGraphsText(const GraphCounts& graphs, const Color& color);

} // namespace commtap
