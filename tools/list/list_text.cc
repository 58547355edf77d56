// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/list/list_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/base/redaction.h"
#include "report/base/timestamp.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kCommandColumns = 50;
/// The cell that a command, which a table would cut, takes the place of.
constexpr std::string_view kCommandHere = "-";

/// Returns "3.20 s"; "> 3.20 s" for a run whose end is not known, until its last event.
std::string lengthText(const ListedRun& run) {
  const uint64_t end = run.ended_at_ns.value_or(run.last_activity_ns);
  return end > run.started_at_ns
             ? (run.ended_at_ns ? "" : "> ") + humanDuration(static_cast<double>(end - run.started_at_ns))
             : "";
}

/// Returns "8", "7 of 8" for a run without the report of a rank, "0" for one without reports of ranks.
std::string ranksText(const ListedRun& run) {
  const uint64_t count = countOf(run.ranks);
  return run.missing.empty() ? std::to_string(count) : fmt::format("{} of {}", count, run.world_size.value_or(0));
}

/// Returns the run's name; if it has none the program, without its folder, and its arguments. The processes of a plan
/// have a command of the planner's.
std::string nameOrCommand(const ListedRun& run) {
  std::string text = run.name;
  const bool is_named = !run.name.empty() || run.planned;
  for (const std::string& word : is_named ? std::vector<std::string>() : run.argv) {
    if (word == "-u" && text.starts_with("python") && text.find(' ') == std::string::npos) {
      continue;
    }
    const size_t folder = text.empty() ? word.rfind('/') : std::string::npos;
    text += (text.empty() ? "" : " ") + (folder == std::string::npos ? word : word.substr(folder + 1));
  }
  return inert(text);
}

} // namespace

std::vector<std::string> listCells(const ListedRun& run) {
  return {
      formatSecond(run.started_at_ns) + "Z",
      lengthText(run),
      ranksText(run),
      run.planned ? "planned" : std::string(runEndName(run.end)),
      std::to_string(run.calls),
      humanBytes(run.bytes),
      humanBytes(run.disk_bytes),
      run.run_id,
      nameOrCommand(run)};
}

std::string listText(const RunList& list, const std::string& folder, const Color& color, bool is_cut) {
  Table table(kListTitles);
  for (const ListedRun& run : list.runs) {
    std::vector<std::string> cells = listCells(run);
    cells.back() = kCommandHere;
    table.add(std::move(cells));
  }
  const std::string lines = table.text(color);
  std::string text;
  auto run = list.runs.begin();
  for (std::string_view line : linesOf(lines)) {
    const bool is_title = text.empty();
    const std::string command = is_title ? "" : nameOrCommand(*run++);
    line.remove_suffix(is_title ? 0 : kCommandHere.size());
    text.append(line).append(is_cut ? shorten(command, kCommandColumns) : command).append("\n");
  }
  const std::string older = list.older == 0 ? "" : fmt::format("{}: --all\n", counted(list.older, "older run"));
  return text + older +
         fmt::format("CALLS and BYTES are sums over ranks; commtap show {} --run RUN\n", pathWord(folder));
}

} // namespace commtap
