// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/job_text.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "report/base/glob.h"
#include "report/job/exposed_time.h"
#include "report/model/saturating.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxTimedRows = 20;

std::string meanText(const Durations& durations) {
  return durations.count == 0
             ? ""
             : humanDuration(static_cast<double>(durations.sum_ns) / static_cast<double>(durations.count));
}

std::string bandwidthText(double bytes_per_second) {
  return bytes_per_second == 0 ? "" : humanBytes(bytes_per_second) + "/s";
}

/// The exposed times of a job in the unit that is shown.
class Exposed {
 public:
  explicit Exposed(const ShownTimes& times)
      : are_all_timed_(areAllTimed(times.by_module)), total_(times.total || !are_all_timed_), unit_(times.job) {}

  /// Returns the time, and its share of a step.
  std::vector<std::string> cells(uint64_t sum_ns, bool setup = false) const {
    const std::optional<double> part = !total_ && !setup ? unit_.partOfStep(sum_ns) : std::nullopt;
    return {
        humanDuration(total_ ? static_cast<double>(sum_ns) : unit_.perRank(sum_ns, setup)),
        part ? percentText(100 * *part) : ""};
  }
  std::string unitText() const {
    if (total_) {
      return std::string("EXPOSED: added up over all ranks") + (are_all_timed_ ? "" : ", of the timed calls");
    }
    return unit_.steps() == 0 ? "EXPOSED: per rank" : "EXPOSED: per rank and step, without set-up";
  }
  std::string shareText() const {
    const std::string first =
        unit_.firstStepPart() > 0
            ? "; the first one took " + percentText(100 * unit_.firstStepPart()) + " of their time"
            : "";
    return !total_ && unit_.stepNs() > 0 && unit_.steps() > 0
               ? "OF STEP: the share of a step of " + humanDuration(unit_.stepNs()) +
                     ", the mean of all that have ended" + first + "; each: --steps\n"
               : "";
  }
  bool isTotal() const {
    return total_;
  }

 private:
  bool are_all_timed_;
  bool total_;
  ExposedUnit unit_;
};

std::vector<std::string> timeCells(const TimeTotals& totals, const std::vector<std::string>& exposed) {
  const CollectiveTime& time = totals.time;
  const Durations& running = time.of(DurationKind::kRunning);
  std::string late;
  if (totals.straggler) {
    late = fmt::format("{} (rank {})", humanDuration(totals.straggler->late_by_ns), totals.straggler->rank);
  }
  const bool has_exposed = time.of(DurationKind::kExposed).count > 0;
  return {
      std::string(kindName(totals.kind)),
      totals.group,
      std::to_string(totals.count),
      std::to_string(time.timedCount()),
      meanText(time.of(DurationKind::kQueued)),
      meanText(running),
      running.count == 0 ? "" : humanDuration(static_cast<double>(running.max_ns)),
      has_exposed ? exposed[0] : "",
      has_exposed ? exposed[1] : "",
      bandwidthText(time.algorithmBandwidth()),
      bandwidthText(time.busBandwidth()),
      late};
}

/// The columns of timeCells().
constexpr const char* kTimeColumns =
    "KIND|GROUP|COUNT>|TIMED>|QUEUED>|RUNNING>|LONGEST>|EXPOSED>|OF STEP>|ALGBW>|BUSBW>|LATE BY (RANK)";

/// Returns the line below a table that leaves out rows; "" if it leaves out none.
std::string moreText(size_t rows, const Color& color) {
  return rows <= kMaxTimedRows ? ""
                               : color.dim(fmt::format(
                                     "{}: commtap export --format csv --table collectives PATH",
                                     counted(rows - kMaxTimedRows, "more row"))) +
                                     "\n";
}

std::string groupText(const ShownTimes& times, const Exposed& exposed, const Color& color) {
  Table table(kTimeColumns);
  for (const TimeTotals& totals : times.by_group) {
    const uint64_t sum_ns =
        exposed.isTotal() ? totals.time.of(DurationKind::kExposed).sum_ns : exposedInSteps(totals, times.by_module);
    table.add(timeCells(totals, exposed.cells(sum_ns)));
  }
  return color.bold("Time by kind and group") + " (QUEUED, RUNNING: mean of one; " + exposed.unitText() +
         "; commtap help timing)\n" + table.text(color) + color.dim(exposed.shareText());
}

/// Returns how much of the exposed time of ranks that leave together is proved to be a wait for later ranks.
std::string causesText(const std::vector<TimeTotals>& by_group) {
  constexpr double kLeast = 0.01;
  std::string text;
  for (const TimeTotals& totals : by_group) {
    const double late_ns = totals.causes ? static_cast<double>(totals.causes->late_peer_ns) : 0;
    const double all_ns = totals.causes ? late_ns + static_cast<double>(totals.causes->network_ns) : 0;
    if (late_ns > kLeast * all_ns) {
      text += fmt::format(
          "EXPOSED with set-up for {} on {}: at least {} waits for ranks that came later\n",
          kindName(totals.kind),
          totals.group,
          percentText(100 * late_ns / all_ns));
    }
  }
  return text;
}

bool isShown(const ShownTimes& times, const std::string& module) {
  return times.module.empty() || globMatches(times.module, module);
}

std::string moduleText(const ShownTimes& times, const Exposed& exposed, const Color& color) {
  Table table(std::string("MODULE|") + kTimeColumns);
  size_t rows = 0;
  for (const TimeTotals& totals : times.by_module) {
    if (!isShown(times, totals.module) || ++rows > kMaxTimedRows) {
      continue;
    }
    const uint64_t sum_ns = totals.time.of(DurationKind::kExposed).sum_ns;
    std::vector<std::string> cells = timeCells(totals, exposed.cells(sum_ns, totals.setup));
    cells.insert(cells.begin(), shorten(labelledModule(totals.module, totals.label, totals.setup), kMaxLabel));
    table.add(std::move(cells));
  }
  return color.bold("Time by module") + " (for which it was communicated; longest exposed first)\n" +
         table.text(color) + moreText(rows, color);
}

/// Returns where the job stood still; "" if nothing was exposed.
std::string placesText(const ShownTimes& times, const Exposed& exposed, const Color& color) {
  Table table("MODULE|PHASE|TIMES>|EXPOSED>|OF STEP>|MOSTLY FOR");
  size_t rows = 0;
  for (const StoodStill& each : stoodStill(times.by_module)) {
    if (!isShown(times, each.place.module) || ++rows > kMaxTimedRows) {
      continue;
    }
    const TimeTotals& cause = *each.mostly_for;
    const std::vector<std::string> cells = exposed.cells(each.stall.exposed_ns);
    table.add(
        {each.place.module.empty() ? "?" : shorten(inert(each.place.module), kMaxLabel),
         std::string(phaseName(each.place.phase)),
         std::to_string(each.stall.count),
         cells[0],
         cells[1],
         fmt::format(
             "{} of {}", kindName(cause.kind), shorten(labelledModule(cause.module, cause.label, false), kMaxLabel))});
  }
  return rows == 0 ? ""
                   : "\n" + color.bold("Where the job stood still") +
                         " (the modules that ran while a collective was awaited, without set-up)\n" +
                         table.text(color) + moreText(rows, color);
}

} // namespace

std::string timeTables(const ShownTimes& times, const Color& color) {
  const Exposed exposed(times);
  return groupText(times, exposed, color) + color.dim(causesText(times.by_group)) + "\n" +
         moduleText(times, exposed, color) + placesText(times, exposed, color);
}

std::vector<std::string> lateLines(const JobReport& job) {
  constexpr double kLeast = 0.05;
  struct Late {
    double ns = 0; // of each step
    double most_ns = 0;
    std::string module;
  };
  const ExposedUnit unit(job);
  std::map<int64_t, Late> ranks;
  for (const JobProcess& process : job.processes) {
    if (process.rank) {
      ranks[*process.rank];
    }
  }
  for (const TimeTotals& row : job.module_times) {
    if (row.straggler && !row.setup) {
      const double ns = unit.perRank(static_cast<uint64_t>(row.straggler->late_by_ns * static_cast<double>(row.count)));
      Late& late = ranks[row.straggler->rank];
      late.ns += ns;
      late.module = ns > late.most_ns ? row.module : late.module;
      late.most_ns = std::max(late.most_ns, ns);
    }
  }
  std::vector<double> sums;
  for (const auto& [rank, late] : ranks) {
    sums.push_back(late.ns);
  }
  std::sort(sums.begin(), sums.end());
  std::vector<std::string> lines;
  for (const auto& [rank, late] : ranks) {
    if (unit.stepNs() > 0 && late.ns - sums[(sums.size() - 1) / 2] > kLeast * unit.stepNs()) {
      lines.push_back(fmt::format(
          "rank {} comes late: {} of each step ({}), most at {}",
          rank,
          humanDuration(late.ns),
          humanDuration(unit.stepNs()),
          inert(late.module)));
    }
  }
  return lines;
}

std::string timeText(const ShownTimes& times, const Color& color) {
  return times.by_group.empty() ? "no durations were measured: run the job with COMMTAP_TIMING=host\n"
                                : timeTables(times, color);
}

namespace {

constexpr uint64_t kWarmUpSteps = 2;
constexpr uint64_t kFewestSteps = 5;

/// Steps with one known time.
struct StepTime {
  uint64_t first_step = 0;
  uint64_t steps = 1;
  double ns = 0; ///< per step, on the slowest rank
};

double perStep(const JobStep& step, double duration_ns) {
  return duration_ns / static_cast<double>(std::max<uint64_t>(step.steps, 1));
}

std::string withRank(double ns, const std::optional<int64_t>& rank) {
  return humanDuration(ns) + (rank ? fmt::format(" ({})", *rank) : "");
}

/// Returns the steps that each of their ranks has completed, except the first ones.
std::vector<StepTime> timesOf(const std::vector<JobStep>& steps) {
  std::vector<StepTime> times;
  for (const JobStep& step : steps) {
    if (step.first_step >= kWarmUpSteps && step.timed_ranks > 0 && step.timed_ranks == step.ranks) {
      times.push_back({step.first_step, step.steps, perStep(step, static_cast<double>(step.duration_ns.max))});
    }
  }
  return times;
}

/// Returns the time that `share` of all steps did not exceed. `times` is sorted, the shortest first.
double quantile(const std::vector<StepTime>& times, uint64_t steps, double share) {
  uint64_t seen = 0;
  for (const StepTime& time : times) {
    addSaturating(seen, time.steps);
    if (static_cast<double>(seen) >= share * static_cast<double>(steps)) {
      return time.ns;
    }
  }
  return times.back().ns;
}

} // namespace

std::vector<std::string> stepTimeCells(const JobStep& step) {
  if (step.timed_ranks == 0) {
    return {"", "", ""};
  }
  const Spread<uint64_t>& duration = step.duration_ns;
  const double mean_ns = static_cast<double>(duration.sum) / static_cast<double>(step.timed_ranks);
  return {
      humanDuration(perStep(step, mean_ns)),
      withRank(perStep(step, static_cast<double>(duration.min)), duration.min_rank),
      withRank(perStep(step, static_cast<double>(duration.max)), duration.max_rank)};
}

std::string stepSpreadText(const std::vector<JobStep>& all) {
  std::vector<StepTime> times = timesOf(all);
  uint64_t steps = 0;
  for (const StepTime& time : times) {
    addSaturating(steps, time.steps);
  }
  if (steps < kFewestSteps || times.size() < 2) {
    return {};
  }
  std::sort(times.begin(), times.end(), [](const StepTime& a, const StepTime& b) { return a.ns < b.ns; });
  const StepTime& slowest = times.back();
  return fmt::format(
      "step times of the slowest rank, over {} steps after the first {}: median {}, {} to {} for four of five, "
      "slowest {} (step {})\n",
      steps,
      kWarmUpSteps,
      humanDuration(quantile(times, steps, 0.5)),
      humanDuration(quantile(times, steps, 0.1)),
      humanDuration(quantile(times, steps, 0.9)),
      humanDuration(slowest.ns),
      stepRange(slowest.first_step, slowest.steps));
}

} // namespace commtap
