// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>

#include "report/layouts/layout_comparison.h"
#include "report/layouts/whole_run.h"
#include "report/samples/samples.h"

namespace commtap {

/// Returns whether a run trains as another one, except for the texts, `notes` and `problems`. `again`: a
/// second run of the other layout, or nullptr; what differs between these two is not compared. `has_same_data`: the
/// user says that both runs read the same samples.
LayoutComparison compareLayouts(const WholeRun& run, const WholeRun& like, const WholeRun* again, bool has_same_data);

/// The first bits that differ between two runs of one layout.
struct FirstBits {
  uint64_t step = 0;
  std::string parameter;
  int64_t rank = 0;
  bool is_gradient = false;
  double distance = 0; ///< by the size
};
struct BitComparison {
  bool is_same_layout = false;     ///< false: their ranks hold other parts
  std::optional<FirstBits> differ; ///< nullopt: all are equal
};
BitComparison compareBits(std::span<const ProcessSamples> run, std::span<const ProcessSamples> like);

} // namespace commtap
