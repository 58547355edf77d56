// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/base/result.h"
#include "report/compare/layout.h"
#include "report/model/model.h"

namespace commtap {

/// The time of one call, from measurements.
struct Prediction {
  double low_ns = 0;
  double high_ns = 0;
  double error = 0;    ///< the most by which a measured time differs from what its neighbours predict; 0.1 is 10 %
  std::string source;  ///< what measured it
  std::string refused; ///< why there is none; "" if there is one

  bool isKnown() const {
    return refused.empty();
  }
};

/// How long collectives took on a network, by kind, number of ranks and of nodes, and size.
class Fabric {
 public:
  /// Adds the file that a test of nccl-tests writes (-J FILE.json). Returns "" or what is wrong with it.
  std::string addNcclTests(std::string_view text, const std::string& source);
  /// Adds the measured times of a run: calls of one size class are a point at their mean size, and the range of its
  /// times leaves out a tenth at each end. `reports`: those of all its ranks. Returns "" or what is wrong with them.
  std::string addRun(const std::vector<Report>& reports, const std::string& source);

  bool empty() const {
    return curves_.empty();
  }

  /// Predicts one call. Refuses sizes, spans and numbers of ranks beyond those measured: a group inside of one node is
  /// predicted from such groups, one across nodes from such. Between two measured numbers of ranks, equal bus bytes
  /// take equal time (NVIDIA/nccl-tests, doc/PERFORMANCE.md), and the range covers both.
  Prediction predict(const Messages& messages) const;

 private:
  /// The range of times at one size.
  struct Point {
    double bytes = 0;
    double low_ns = 0;
    double high_ns = 0;
  };
  /// Points in the order of their sizes.
  struct Curve {
    uint32_t ranks = 0;
    uint32_t nodes = 0;
    std::string source;
    std::vector<Point> points;

    bool covers(double bytes) const;
    Point at(double bytes) const;
    double error() const;
  };
  using Key = std::tuple<Kind, uint32_t, uint32_t>; ///< kind, ranks, nodes

  void addPoint(const Key& key, const Point& point, const std::string& source);
  std::vector<const Curve*> curvesFor(Kind kind, uint32_t ranks, uint32_t nodes) const;
  std::string measuredText(Kind kind) const;
  static Point between(const std::vector<Point>& points, double bytes);

  std::map<Key, Curve> curves_;
};

} // namespace commtap
