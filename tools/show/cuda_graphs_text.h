// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "tools/text/color.h"

namespace commtap {

/// The CUDA graphs of all processes; equal ones are one.
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

/// The table of CUDA graphs, those that moved most first; "" if there are none.
std::string cudaGraphsText(const GraphCounts& graphs, const Color& color);

} // namespace commtap
