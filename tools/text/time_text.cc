// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/time_text.h"

#include <algorithm>

#include <fmt/format.h>

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

std::vector<std::string> timeCells(const TimeTotals& totals) {
  const CollectiveTime& time = totals.time;
  const Durations& running = time.of(DurationKind::kRunning);
  const Durations& exposed = time.of(DurationKind::kExposed);
  std::string late;
  if (totals.straggler) {
    late = fmt::format("{} (rank {})", humanDuration(totals.straggler->late_by_ns), totals.straggler->rank);
  }
  return {
      std::string(kindName(totals.kind)),
      totals.group,
      std::to_string(totals.count),
      std::to_string(time.timedCount()),
      meanText(time.of(DurationKind::kQueued)),
      meanText(running),
      running.count == 0 ? "" : humanDuration(static_cast<double>(running.max_ns)),
      exposed.count == 0 ? "" : humanDuration(static_cast<double>(exposed.sum_ns)),
      bandwidthText(time.algorithmBandwidth()),
      bandwidthText(time.busBandwidth()),
      late};
}

std::vector<TextColumn> columns() {
  return {
      {"KIND"},
      {"GROUP"},
      {"COUNT", Align::kRight},
      {"TIMED", Align::kRight},
      {"QUEUED", Align::kRight},
      {"RUNNING", Align::kRight},
      {"LONGEST", Align::kRight},
      {"EXPOSED", Align::kRight},
      {"ALGBW", Align::kRight},
      {"BUSBW", Align::kRight},
      {"LATE BY (RANK)"}};
}

std::string moduleText(const std::vector<TimeTotals>& all, const Color& color) {
  std::vector<TextColumn> with_module = columns();
  with_module.insert(with_module.begin(), {"MODULE"});
  Table table(std::move(with_module));
  for (size_t i = 0; i < std::min(all.size(), kMaxTimedRows); ++i) {
    std::vector<std::string> cells = timeCells(all[i]);
    cells.insert(cells.begin(), shorten(labelledModule(all[i].module, all[i].label, all[i].setup), kMaxLabel));
    table.add(std::move(cells));
  }
  std::string text = table.text(color);
  if (all.size() > kMaxTimedRows) {
    text += color.dim(fmt::format(
                "{}: commtap export --format csv --table collectives PATH",
                counted(all.size() - kMaxTimedRows, "more row"))) +
            "\n";
  }
  return text;
}

} // namespace

std::string
timeTables(const std::vector<TimeTotals>& by_group, const std::vector<TimeTotals>& by_module, const Color& color) {
  Table table(columns());
  for (const TimeTotals& totals : by_group) {
    table.add(timeCells(totals));
  }
  return color.bold("Time by kind and group") +
         " (QUEUED, RUNNING: mean of one; EXPOSED: added up over all ranks; commtap help timing)\n" +
         table.text(color) + "\n" + color.bold("Time by module") + " (longest exposed first)\n" +
         moduleText(by_module, color);
}

std::string
timeText(const std::vector<TimeTotals>& by_group, const std::vector<TimeTotals>& by_module, const Color& color) {
  return by_group.empty() ? "no durations were measured: run the job with COMMTAP_TIMING=host\n"
                          : timeTables(by_group, by_module, color);
}

} // namespace commtap
