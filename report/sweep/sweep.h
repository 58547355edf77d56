// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/model.h"

namespace commtap {

/// A planned rank, with its report before the last step, and the ranks that it represents.
struct PlannedRank {
  const Report* plan = nullptr;
  const Report* before = nullptr;
  std::vector<int64_t> ranks;
};

/// Collectives of one kind, size and group. Calls and bytes are of the last step, per rank: sums over all ranks divided
/// by their number.
struct Messages {
  Kind kind = Kind::kOther;
  std::string group; ///< groupTitle
  uint32_t group_size = 0;
  uint32_t nodes = 0;    ///< the most nodes that ranks of one process group are on
  uint64_t smallest = 0; ///< bytes; less than `largest` only if calls of several sizes are counted in one row
  uint64_t largest = 0;
  double calls = 0;
  double bytes = 0;
  double bytes_across = 0; ///< of process groups whose ranks are on several nodes
};

/// Returns what a layout communicates in its last step, largest first. `groups`: those of the merged plan. Rank r is on
/// node r / `per_node`.
std::vector<Messages>
messagesOf(const std::vector<PlannedRank>& planned, const std::vector<JobGroup>& groups, uint32_t per_node);

/// The communication of a layout in one group, or in all, per rank and step.
struct LayoutPart {
  std::string group; ///< "" for all
  uint32_t size = 0; ///< ranks of a process group; 0 for all
  uint32_t nodes = 0;
  double calls = 0;
  double bytes = 0;
  double bytes_across = 0; ///< in process groups whose ranks are on several nodes
  uint64_t smallest = 0;   ///< bytes of the smallest call that has a payload
  uint64_t largest = 0;    ///< bytes of the largest call
};

/// The values of the placeholders of one layout, by name.
using LayoutValues = std::vector<std::pair<std::string, std::string>>;
/// Returns "tp=8 dp=4".
std::string layoutName(const LayoutValues& values);

/// One layout of a sweep.
struct SweptLayout {
  std::string name; ///< layoutName() of its values
  LayoutValues values;
  std::string folder;  ///< of its plan, below the sweep's
  std::string failure; ///< why it has no plan; "" if it has one
  LayoutPart all;
  std::vector<LayoutPart> groups; ///< most bytes first
};

/// The `schema` field of a sweep.
inline constexpr const char* kSweepSchema = "commtap.sweep/1";

/// The layouts of one job, the content of the file `sweep.json` in their folder.
struct Sweep {
  std::string schema = kSweepSchema;
  bool planned = true;
  std::vector<std::string> command;
  int64_t world_size = 0;
  int64_t per_node = 0;
  std::vector<SweptLayout> layouts;
};

/// Fills in what a layout communicates.
void addMessages(const std::vector<Messages>& messages, SweptLayout& layout);

/// Sorts by the bytes that cross nodes, then by all bytes; layouts that failed are last.
void sortLayouts(std::vector<SweptLayout>& layouts);

/// The file of a sweep's folder that has its table.
inline constexpr const char* kSweepFile = "sweep.json";
std::string sweepToJson(const Sweep& sweep);

/// Returns the file of the sweep at `path`, a folder or the file itself; "" if there is none.
std::string sweepIn(const std::string& path);

} // namespace commtap
