// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/layouts/layout_comparison.h"
#include "report/layouts/whole_run.h"
#include "report/samples/samples.h"

namespace commtap {

struct LayoutOptions {
  std::vector<std::pair<std::string, std::string>> renames; ///< prefixes of names of the first run, and their new ones
  bool has_same_data = false;                               ///< the user says that both runs read the same samples
};

/// Returns whether a run trains as another one, except for the texts, `first_bits` and `problems`. `again`: a second
/// run of the other layout, or nullptr; what differs between these two is not compared.
LayoutComparison
compareLayouts(const WholeRun& run, const WholeRun& like, const WholeRun* again, const LayoutOptions& options);

/// The bits of two runs of one layout.
struct BitComparison {
  bool is_same_layout = false;     ///< false: their ranks hold other parts
  std::optional<FirstBits> differ; ///< nullopt: all are equal
};
BitComparison compareBits(std::span<const ProcessSamples> run, std::span<const ProcessSamples> like);

} // namespace commtap
