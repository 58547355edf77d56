// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_view.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "report/base/glob.h"
#include "report/job/job_report.h"
#include "report/job/job_summary.h"
#include "report/json/fields.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

/// A tree of up to this many modules fits on a screen.
constexpr size_t kSmallTree = 24;

bool isShown(const ShowFilter& filter, Phase phase) {
  return !filter.phase || *filter.phase == phase;
}

Amount amountAt(const Amounts& amounts, PhaseKind key) {
  const auto found = amounts.find(key);
  return found == amounts.end() ? Amount{} : found->second;
}

/// The own parts of the rows of a job.
class OwnParts {
 public:
  explicit OwnParts(const JobReport& job) {
    for (const JobCollective& row : job.collectives) {
      OwnPart& part = parts_[{row.module, {row.phase, row.kind}}][{row.label, row.setup}];
      part.label = row.label;
      part.setup = row.setup;
      part.amount += sumOf(row.amount);
      part.ranks = unionOf(part.ranks, job.rank_sets[row.rank_set]);
    }
  }

  std::vector<OwnPart> of(const std::string& module, PhaseKind key) const {
    std::vector<OwnPart> parts;
    if (const auto found = parts_.find({module, key}); found != parts_.end()) {
      for (const auto& [what, part] : found->second) {
        parts.push_back(part);
      }
    }
    return parts;
  }

 private:
  std::map<std::pair<std::string_view, PhaseKind>, std::map<std::pair<std::string_view, bool>, OwnPart>> parts_;
};

/// The communication of modules in set-up, with all modules below.
class SetupSums {
 public:
  explicit SetupSums(const JobReport& job) {
    std::map<std::string_view, const JobModule*> modules;
    for (const JobModule& module : job.modules) {
      modules.emplace(module.name, &module);
    }
    for (const JobCollective& row : job.collectives) {
      if (const auto found = modules.find(row.module); row.setup && found != modules.end()) {
        add(row, found->second, job);
      }
    }
  }

  Amount of(const JobModule& module, PhaseKind key) const {
    const auto found = sums_.find({&module, key});
    return found == sums_.end() ? Amount{} : found->second;
  }

 private:
  void add(const JobCollective& row, const JobModule* module, const JobReport& job) {
    for (const JobModule* below = nullptr; below != module; module = &job.modules[module->parent]) {
      below = module;
      sums_[{module, {row.phase, row.kind}}] += sumOf(row.amount);
    }
  }

  std::map<std::pair<const JobModule*, PhaseKind>, Amount> sums_;
};

struct JobParts {
  explicit JobParts(const JobReport& job) : own(job), setup(job) {}
  OwnParts own;
  SetupSums setup;
};

void addPhase(const JobModule& module, Phase phase, const JobParts& parts, std::vector<ModuleRow>& rows) {
  const bool is_first = rows.empty() || rows.back().module != &module;
  ModuleRow row{.module = &module, .phase = phase, .first_of_module = is_first, .first_of_phase = true};
  for (int i = 0; i < kKindCount; ++i) {
    const PhaseKind key{phase, static_cast<Kind>(i)};
    row.inclusive = amountAt(module.inclusive, key);
    if (row.inclusive.count == 0) {
      continue;
    }
    row.kind = key.kind;
    row.own = amountAt(module.own, key);
    row.own_parts = parts.own.of(module.name, key);
    row.setup = parts.setup.of(module, key);
    rows.push_back(row);
    row.first_of_module = row.first_of_phase = false;
  }
  if (row.first_of_phase && module.calls[static_cast<size_t>(phase)].sum > 0) {
    rows.push_back(row);
  }
}

void addModule(const JobModule& module, const ShowFilter& filter, const JobParts& parts, std::vector<ModuleRow>& rows) {
  const size_t before = rows.size();
  for (int i = 0; i < kPhaseCount; ++i) {
    if (isShown(filter, static_cast<Phase>(i))) {
      addPhase(module, static_cast<Phase>(i), parts, rows);
    }
  }
  if (rows.size() == before) {
    const Phase phase = filter.phase.value_or(Phase::kForward);
    rows.push_back({.module = &module, .phase = phase, .first_of_module = true, .first_of_phase = true});
  }
}

/// Returns the module's own number, which --sort compares.
uint64_t numberOf(const JobModule& module, const ShowFilter& filter) {
  const SortBy by = filter.sort.value_or(SortBy::kBytes);
  if (by != SortBy::kCalls) {
    const Amount own = sumOf(module.own, filter.phase, std::nullopt);
    return by == SortBy::kBytes ? own.bytes : own.count;
  }
  uint64_t calls = 0;
  for (int i = 0; i < kPhaseCount; ++i) {
    addSaturating(calls, isShown(filter, static_cast<Phase>(i)) ? module.calls[static_cast<size_t>(i)].sum : 0);
  }
  return calls;
}

/// Sorts the largest number first; modules with equal numbers stay in the order of the tree.
void sortByNumber(const ShowFilter& filter, std::vector<const JobModule*>& modules) {
  std::stable_sort(modules.begin(), modules.end(), [&filter](const JobModule* a, const JobModule* b) {
    return numberOf(*a, filter) > numberOf(*b, filter);
  });
}

/// Returns what addLast() reads of a report.
std::unique_ptr<const Report> comparedPart(const Report& report) {
  auto part = std::make_unique<Report>();
  part->job = report.job;
  part->groups = report.groups;
  part->last = report.last;
  return part;
}

} // namespace

ShowDetails::ShowDetails(const ShowFilter& filter)
    : group_times_(TimesBy::kGroup, filter.phase), module_times_(TimesBy::kModule, filter.phase) {
  view_.filter = filter;
  view_.operations = OperationCounts(filter.phase);
}

void ShowDetails::add(const Report& report) {
  if (has_rank_ && (!rank_ || rank_ != report.job.rank)) {
    endRank();
  }
  has_rank_ = true;
  rank_ = report.job.rank;
  const ShowFilter& filter = view_.filter;
  if (filter.operations) {
    view_.operations.add(report);
  }
  if (filter.steps) {
    view_.steps.add(report);
  }
  if (filter.last > 0) {
    compared_.push_back(comparedPart(report));
  }
  if (filter.time) {
    group_times_.add(report);
    module_times_.add(report);
  }
  if (filter.nccl) {
    view_.graphs.add(report);
  }
}

void ShowDetails::endRank() {
  group_times_.endRank(rank_);
  module_times_.endRank(rank_);
}

/// The state of a call depends on what the other ranks did.
void ShowDetails::addLast() {
  std::vector<const Report*> compared;
  for (const std::unique_ptr<const Report>& report : compared_) {
    compared.push_back(report.get());
  }
  const ShowFilter& filter = view_.filter;
  const CallSet passed = passedCalls(compared);
  for (const Report* report : compared) {
    for (LastRow& row : lastRows(*report, filter.last, passed)) {
      if (filter.shows(row.call.module) && isShown(filter, row.call.phase)) {
        view_.last.push_back(std::move(row));
      }
    }
  }
  view_.mismatches = sequenceMismatches(compared);
}

ShowView ShowDetails::finish(JobReport job) {
  endRank();
  view_.job = std::move(job);
  for (const std::string& number : view_.steps.saturated()) {
    view_.job.problems.push_back(saturatedLine(view_.job.source, number));
  }
  if (view_.operations.isSaturated()) {
    view_.job.problems.push_back(saturatedLine(view_.job.source, field::kOperations));
  }
  addLast();
  view_.group_times = group_times_.take();
  view_.module_times = module_times_.take();
  return std::move(view_);
}

ShowView mergedView(const ShowFilter& filter, JobReport job) {
  ShowView view;
  view.filter = filter;
  view.is_merged = true;
  view.group_times = job.group_times;
  view.module_times = job.module_times;
  view.job = std::move(job);
  return view;
}

bool ShowFilter::shows(const std::string& name) const {
  return module.empty() || globMatches(module, name);
}

ModuleRows moduleRows(const ShowView& view) {
  ModuleRows result;
  std::vector<const JobModule*> shown;
  const bool all = view.filter.all || view.job.modules.size() <= kSmallTree;
  for (const JobModule& module : view.job.modules) {
    if (!view.filter.shows(module.name)) {
      continue;
    }
    if (view.filter.depth && module.depth > *view.filter.depth) {
      ++result.too_deep;
    } else if (!all && sumOf(module.inclusive, view.filter.phase, std::nullopt).count == 0) {
      ++result.without_collectives;
    } else {
      shown.push_back(&module);
    }
  }
  if (view.filter.sort || view.filter.top) {
    sortByNumber(view.filter, shown);
    const size_t kept = std::min(shown.size(), view.filter.top.value_or(shown.size()));
    result.beyond_top = shown.size() - kept;
    shown.resize(kept);
  }
  const JobParts parts(view.job);
  for (const JobModule* module : shown) {
    addModule(*module, view.filter, parts, result.rows);
  }
  return result;
}

} // namespace commtap
