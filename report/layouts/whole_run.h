// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/replicas/job_facts.h"
#include "report/samples/samples.h"

namespace commtap {

/// A tensor of the whole training, put together from the digests of its parts.
struct WholeDigest {
  double squares = 0;
  std::array<double, kDigestSums> sums{};
  bool has_squares = false; ///< false: nothing is known, or the parts are to be summed first
  bool has_sums = false;    ///< the signs follow the places in the whole
  bool has_non_finite = false;

  bool isKnown() const {
    return (has_squares || has_sums) && !has_non_finite;
  }
  /// Returns the norm; without squares, about the norm.
  double norm() const;
};

/// A parameter and its gradient at the start of a step.
struct WholeStep {
  int64_t elements = 0;
  /// For parts without a place their ranks and sizes: the sums of two runs are alike if these are. "": they have one.
  std::string parts;
  WholeDigest value;
  WholeDigest gradient;
  bool has_no_gradient = false; ///< none on any rank
};

/// A parameter of the training, whatever its layout.
struct WholeParameter {
  std::string name;
  std::string dtype;
  bool has_model_name = true;
  std::map<uint64_t, WholeStep> steps;
  std::string why_unknown; ///< why the value or gradient of some step is not known, or has no sums; "" if all are
};

/// The rows that entered the model before a step, on all ranks.
struct WholeData {
  uint64_t rows = 0;     ///< of different batches: ranks that read one batch have its rows once
  uint64_t sum = 0;      ///< of their hashes, whatever their order
  uint64_t forwards = 0; ///< most of a rank
  bool is_known = true;
  bool has_draws = false;
  bool has_autocast = false;
};

/// A run, with its layout taken away.
struct WholeRun {
  std::string run_id;
  std::vector<int64_t> ranks;                          ///< with samples
  std::vector<WholeParameter> parameters;              ///< in the order of the model
  std::map<uint64_t, WholeData> data;                  ///< by step
  std::string coarse_dtype;                            ///< JobFacts::coarse_dtype
  std::set<std::pair<std::string, int64_t>> mesh_dims; ///< JobFacts::mesh_dims
};

/// Puts the parts of each parameter together. Copies count once: those that the job declares, or that equal gradients
/// or changes prove. Parts that have a place add up to the whole if they are all of it; for others only the norm is
/// known.
WholeRun wholeRunOf(std::span<const ProcessSamples> processes, const JobFacts& facts);

} // namespace commtap
