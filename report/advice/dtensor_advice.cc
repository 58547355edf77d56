// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/dtensor_advice.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace commtap {
namespace {

/// The op by which DTensor reduces a Partial tensor that an op needs whole.
constexpr std::string_view kAllReduce = "_c10d_functional.all_reduce";
/// A norm, which clipping reduces too, is one number.
constexpr uint64_t kBytesOfNumber = 8;

bool clips(const JobCollective& row) {
  return row.op == kAllReduce && row.phase == Phase::kOther && row.label == "clip_grad_norm_" &&
         row.amount.bytes.sum > kBytesOfNumber * row.amount.count.sum;
}

bool isOptimizers(const JobCollective& row) {
  return row.op == kAllReduce && row.phase == Phase::kOptimizer;
}

/// Returns whether the optimizer's row has the tensors of the clipping's: equal ones on average, at least as often.
bool repeats(const JobCollective& optimizer, const JobCollective& clipping) {
  const RankedAmount& again = optimizer.amount;
  const RankedAmount& first = clipping.amount;
  return optimizer.group == clipping.group && optimizer.dtype == clipping.dtype && again.ranks == first.ranks &&
         again.count.sum >= first.count.sum && again.count.sum % first.count.sum == 0 &&
         again.bytes.sum == again.count.sum / first.count.sum * first.bytes.sum;
}

} // namespace

void findDtensors(Findings& findings) {
  std::vector<const JobCollective*> clippings;
  for (const JobCollective& row : findings.job().collectives) {
    if (clips(row)) {
      clippings.push_back(&row);
    }
  }
  for (const JobCollective& row : findings.job().collectives) {
    if (row.kind == Kind::kAllGather && row.label == "full_tensor" && findings.callsInEveryStep(row) >= 2) {
      findings.add(AdviceRule::kFullTensor, row);
    }
    const auto isAgain = [&row](const JobCollective* clipping) { return repeats(row, *clipping); };
    if (isOptimizers(row) && std::any_of(clippings.begin(), clippings.end(), isAgain)) {
      findings.add(AdviceRule::kReducedAgain, row);
    }
  }
}

} // namespace commtap
