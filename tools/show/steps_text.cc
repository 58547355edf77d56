// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/steps_text.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "report/model/amounts.h"
#include "report/model/saturating.h"
#include "tools/text/job_text.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using Sum = StepSums::Sum;

void addStep(const Step& step, Sum& sum) {
  addSaturating(sum.exposed_ns, sumOf(step).exposed_ns);
  if (step.ended_at_ns) {
    addSaturating(sum.duration_ns, *step.ended_at_ns - std::min(*step.ended_at_ns, step.started_at_ns));
  } else {
    sum.runs = true;
  }
}

/// A mean of ranks that differ, as the last stage that also calls a loss, would be no rank's number.
std::string perRank(const StepSums::Passes& passes) {
  const uint64_t least = std::min(passes.least, passes.most);
  return (least < passes.most ? std::to_string(least) + " to " : "") + std::to_string(passes.most);
}

/// Returns the exposed share of the average rank's time.
std::string shareText(const Sum& sum) {
  return sum.runs || sum.duration_ns == 0
             ? ""
             : percentText(100.0 * static_cast<double>(sum.exposed_ns) / static_cast<double>(sum.duration_ns));
}

std::vector<std::string> cellsOf(const JobStep& step, const StepPlace& place, const StepSums& sums) {
  Amount all;
  for (const JobStepAmount& amount : step.collectives) {
    all += {amount.count.sum, amount.bytes.sum, 0};
  }
  const auto found = sums.sums().find(place);
  const Sum sum = found == sums.sums().end() ? Sum() : found->second;
  std::vector<std::string> cells = stepTimeCells(step);
  cells.insert(cells.begin(), place.second == 0 ? "none" : stepRange(step.first_step, step.steps));
  if (sums.isKnown()) {
    cells.push_back(perRank(sum.forwards));
  }
  if (sums.hasBackwards()) {
    cells.push_back(perRank(sum.backwards));
  }
  cells.insert(cells.end(), {std::to_string(all.count), humanBytes(all.bytes)});
  if (sums.isTimed()) {
    cells.push_back(shareText(sum));
  }
  return cells;
}

/// Returns the sentence that says where steps end.
const char* endOfSteps(std::optional<StepSign> sign) {
  if (!sign) {
    return "No step was seen to end: a step ends with the first forward after an optimizer has stepped, or with "
           "commtap.mark_step";
  }
  switch (*sign) {
    case StepSign::kMark:
      return "A step ends with commtap.mark_step";
    case StepSign::kOptimizer:
      return "A step ends with the first forward after an optimizer has stepped";
    case StepSign::kZeroGrad:
      return "A step ends with the first forward after zero_grad: no optimizer was seen to step";
    case StepSign::kParameters:
      return "A step ends with the first forward after a parameter has changed: no optimizer was seen to step";
    case StepSign::kForward:
      return "Each forward of a root module is a step: the job only evaluates";
  }
  return "";
}

} // namespace

void StepSums::Passes::add(uint64_t passes) {
  least = std::min(least, passes);
  most = std::max(most, passes);
}

void StepSums::add(const Report& report) {
  is_timed_ = is_timed_ || report.job.timing.every == 1;
  const bool has_ended =
      std::any_of(report.steps.begin(), report.steps.end(), [](const Step& step) { return step.ended_at_ns; });
  have_ended_ = have_ended_ || has_ended;
  if (report.job.steps_from || !report.steps.empty()) {
    signs_.insert(report.job.steps_from);
  }
  const std::vector<StepPlace> places = placesOf(report.steps);
  std::map<StepPlace, std::pair<uint64_t, uint64_t>> passes; // an evaluation has several rows in one place
  for (size_t i = 0; i < places.size(); ++i) {
    const Step& step = report.steps[i];
    addStep(step, sums_[places[i]]);
    addSaturating(passes[places[i]].first, step.forward_passes);
    addSaturating(passes[places[i]].second, step.backward_passes);
    has_backwards_ = has_backwards_ || step.backward_passes > 0;
  }
  for (const auto& [place, pair] : passes) {
    sums_[place].forwards.add(pair.first);
    sums_[place].backwards.add(pair.second);
  }
}

std::vector<std::string> StepSums::saturated() const {
  const auto has = [this](Passes Sum::*passes) {
    return std::any_of(
        sums_.begin(), sums_.end(), [passes](const auto& step) { return (step.second.*passes).most == UINT64_MAX; });
  };
  std::vector<std::string> names;
  if (has(&Sum::forwards)) {
    names.push_back("a step's forward_passes");
  }
  if (has(&Sum::backwards)) {
    names.push_back("a step's backward_passes");
  }
  return names;
}

std::string stepsText(const JobReport& job, const StepSums& sums, const Color& color) {
  Table table(
      std::string("STEP>|TIME PER STEP>|LEAST (RANK)>|MOST (RANK)>") + (sums.isKnown() ? "|FORWARDS PER RANK>" : "") +
      (sums.hasBackwards() ? "|BACKWARDS PER RANK>" : "") + // they are counted if they communicate
      "|COUNT>|BYTES>" + (sums.isTimed() ? "|EXPOSED>" : ""));
  for (const JobStep& step : job.steps) {
    table.add(cellsOf(step, {step.first_step, step.steps}, sums));
  }
  for (const JobStep& step : job.outside_steps) {
    table.add(cellsOf(step, {step.first_step, 0}, sums));
  }
  const bool is_first_open = !sums.haveEnded() && sums.signs().count(std::nullopt) < sums.signs().size();
  std::string ends = is_first_open ? color.dim("Only one step: no forward has followed to end it") + "\n" : "";
  for (const std::optional<StepSign> sign : sums.signs()) {
    ends += color.dim(endOfSteps(sign)) + "\n";
  }
  if (!job.outside_steps.empty()) {
    ends += color.dim("none: no optimizer stepped, as in an evaluation; no number per step counts it as a step") + "\n";
  }
  return color.bold("By step") + " (" + kStepTimesAre + ")\n" + table.text(color) + ends + stepSpreadText(job.steps);
}

} // namespace commtap
