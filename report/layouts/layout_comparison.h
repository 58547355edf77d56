// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/rank_ranges.h"
#include "report/model/vocabulary.h"
#include "report/replicas/verify_vocabulary.h"

namespace commtap {

/// A difference between the trainings of two runs.
enum class LayoutClass : uint8_t { kRatio, kScale, kDirection, kOptimizer };
template <>
struct EnumNames<LayoutClass> : Named<LayoutClass> {
  static constexpr const char* kHelp =
      "What differs. ratio: gradients have the same direction and another size, by what most have. scale: all do, by "
      "one ratio. direction: gradients have another direction, or, where only norms are known, another norm, or only "
      "one run has some. optimizer: values went apart although their gradients are alike, with a ratio if all updates "
      "have one.";
  static constexpr auto kNames = std::to_array<std::string_view>({"ratio", "scale", "direction", "optimizer"});
};
inline constexpr int kLayoutClassCount = EnumNames<LayoutClass>::kCount;

/// The result of a comparison.
enum class LayoutStatus : uint8_t { kOk, kSuspect, kWrong, kStartOnly, kNothingToCompare };
template <>
struct EnumNames<LayoutStatus> : Named<LayoutStatus> {
  static constexpr const char* kHelp =
      "wrong: there is an error. suspect: there is a warning, and no error. start_only: the runs start alike, and read "
      "other data or draw random numbers in a forward, so nothing else was compared. nothing_to_compare: they start "
      "from other values, or no gradient can be compared. ok: else.";
  static constexpr auto kNames =
      std::to_array<std::string_view>({"ok", "suspect", "wrong", "start_only", "nothing_to_compare"});
};

/// Whether two runs read the same samples.
enum class SameData : uint8_t { kUnknown, kSame, kOther };
template <>
struct EnumNames<SameData> : Named<SameData> {
  static constexpr const char* kHelp =
      "Whether the runs read the same rows in their first common step, in whatever order and on whichever ranks: same, "
      "other, or unknown.";
  static constexpr auto kNames = std::to_array<std::string_view>({"unknown", "same", "other"});
};

/// Parameters that differ alike, at the first step at which any do.
struct LayoutFinding {
  VerifySeverity severity = VerifySeverity::kWarning;
  LayoutClass what = LayoutClass::kDirection;
  std::vector<std::string> lines; ///< for people
  uint64_t step = 0;
  std::vector<std::string> parameters; ///< in the order of the backward
  std::optional<double> ratio;         ///< of the gradients or updates, by those of the other run
  std::vector<std::string> reasons;    ///< what else has this ratio
  std::optional<double> distance;      ///< the largest, by the size
};

/// The JSON of `commtap verify --like`. docs/schema/commtap-verify-like-1.schema.json describes each field.
struct LayoutComparison {
  std::string schema = "commtap.verify-like/1";
  LayoutStatus status = LayoutStatus::kNothingToCompare;
  std::string line; ///< in one sentence
  std::string run_id;
  uint64_t other_runs = 0; ///< in the folders of both runs
  std::string like_run_id;
  uint64_t ranks = 0;
  uint64_t like_ranks = 0;
  std::vector<uint64_t> steps;        ///< that were compared
  std::optional<uint64_t> stopped_at; ///< the step from which on the runs read other samples, or draw random numbers
  uint64_t parameters = 0;            ///< whose start was compared
  uint64_t by_norm = 0;               ///< of these: only their norms
  SameData data = SameData::kUnknown;
  bool has_draws = false;                 ///< a forward of a run drew random numbers
  std::optional<double> largest_distance; ///< of gradients that are alike
  std::vector<LayoutFinding> findings;
  std::vector<std::string> apart; ///< parameters that start from other values, the one most apart first
  std::optional<double> start_distance;
  uint64_t start_step = 0;               ///< the first that both have sampled; not in the document
  std::vector<std::string> not_compared; ///< for people: parameters, and why
  std::vector<std::string> partly_compared;
  std::vector<std::string> notes; ///< for people
  std::vector<std::string> problems;
  uint64_t unreadable = 0; ///< files of samples; not in the document
};

} // namespace commtap
