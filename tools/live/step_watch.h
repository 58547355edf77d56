// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// Finds sudden changes of a series that is otherwise steady, one value after the other. A change is found when the
/// last kConfirm values all lie on one side of the reference, and their median differs from the reference's median by
/// more than `least` of it and by more than kSpreads standard deviations. The reference are the up to kReference values
/// before; it is empty again after a change. The standard deviation is estimated by the median absolute deviation (the
/// Hampel identifier: F. R. Hampel, "The influence curve and its role in robust estimation", 1974), so that single slow
/// steps, such as those that write a checkpoint, neither are a change nor hide one.
class ChangeDetector {
 public:
  static constexpr size_t kConfirm = 8; ///< values
  static constexpr size_t kLeastReference = 16;
  static constexpr size_t kReference = 64;
  static constexpr double kSpreads = 6;

  struct Change {
    double before = 0; ///< median of the reference
    double after = 0;  ///< median of the last kConfirm values
  };

  /// `least`: the smallest change, as a share of the value before.
  explicit ChangeDetector(double least) : least_(least) {}

  /// Returns the change that began kConfirm - 1 values before this one.
  std::optional<Change> add(double value);

 private:
  std::optional<Change> changeNow() const;

  double least_;
  std::deque<double> reference_;
  std::deque<double> recent_;
};

/// The values of a training step that can change suddenly.
enum class StepValue : uint8_t { kTime, kBytes, kCollectives };
inline constexpr std::array<std::string_view, 3> kStepValueNames = {"time", "bytes", "collectives"};

/// A sudden change of a rank's steps.
struct StepChange {
  std::string run_id;
  int64_t attempt = 0;
  std::optional<int64_t> rank;
  StepValue what = StepValue::kTime;
  uint64_t step = 0; ///< the first that was different
  double before = 0; ///< per step: seconds, bytes or collectives
  double after = 0;
};

/// The changes of a value of a rank's steps since it is watched.
struct StepChanges {
  uint64_t count = 0;
  StepChange last; ///< if `count` is 0, only whose value it is
};

/// Follows the steps of running jobs from one reading of their ledgers to the next. Each complete step is looked at
/// once; several that the ledger has summed since are one value, their mean.
class StepWatch {
 public:
  /// Returns the changes that these reports show for the first time. Forgets processes without a report.
  std::vector<StepChange> look(std::span<const std::shared_ptr<const Report>> reports);

  /// Returns the changes of each rank that has completed a step, by value.
  std::vector<StepChanges> changes() const;

 private:
  struct Value {
    explicit Value(double least) : detector(least) {}

    ChangeDetector detector;
    StepChanges changes;
  };
  struct Process {
    Process();

    uint64_t next_step = 0;
    std::vector<uint64_t> starts; ///< the first steps of the last values
    std::vector<Value> values;    ///< by StepValue
  };
  using Key = std::tuple<std::string, int64_t, std::string, uint64_t, uint64_t>; ///< run, attempt, host, pid, start

  static void lookAt(const Report& report, Process& process, std::vector<StepChange>& found);

  std::map<Key, Process> processes_;
};

/// Returns a line for each change, or for each that several ranks made at about the same step.
std::vector<std::string> stepChangeLines(const std::vector<StepChange>& changes);

} // namespace commtap
