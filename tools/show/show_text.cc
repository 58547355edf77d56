// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "report/job/job_report.h"
#include "report/model/saturating.h"
#include "tools/show/cuda_graphs_text.h"
#include "tools/show/operations_text.h"
#include "tools/show/splits_text.h"
#include "tools/show/steps_text.h"
#include "tools/text/call_text.h"
#include "tools/text/job_text.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxTreeLabel = 60; ///< columns of a module's name
constexpr size_t kModuleCells = 8;   ///< of the module table, without those of ModuleColumns

std::string bytesText(const Amount& amount) {
  return humanBytes(amount.bytes);
}

std::string countOrNothing(uint64_t count) {
  return count == 0 ? "" : std::to_string(count);
}

std::string moduleLabel(const JobModule& module, const ShowView& view) {
  constexpr size_t kIndent = 2;
  constexpr uint32_t kMaxIndentDepth = 40;
  if (view.filter.isList()) {
    return inert(module.name);
  }
  return std::string(kIndent * std::min(module.depth, kMaxIndentDepth), ' ') +
         shorten(inert(module.label(view.job.modules[module.parent].name)), kMaxTreeLabel);
}

/// The columns of the module table that not every table has.
struct ModuleColumns {
  uint64_t steps = 0; ///< numbers per step are shown if it is not 0
  bool labels = false;
  bool ranks = false; ///< not all ranks have all modules

  size_t cells() const {
    return kModuleCells + (steps > 0 ? 2 : 0) + (ranks ? 1 : 0) + (labels ? 1 : 0);
  }
};

/// Returns the ranks of a line: of a part of the module's own amount, or of the module.
std::string ranksOf(const RankRanges& ranks, const JobReport& job) {
  return ranks == job.ranks ? "" : rankText(ranks);
}

/// Sets the last cells of a line to a part of the module's own amount.
void setOwn(std::vector<std::string>& cells, const OwnPart& part, const ShowView& view, const ModuleColumns& columns) {
  cells[6] = countOrNothing(part.amount.count);
  cells[7] = part.amount.count == 0 ? "" : bytesText(part.amount);
  if (columns.labels) {
    cells.back() = shorten(labelText(part.label, part.setup), kMaxLabel);
  }
  if (columns.ranks) {
    cells[cells.size() - (columns.labels ? 2 : 1)] = ranksOf(part.ranks, view.job);
  }
}

/// Returns the cells of a row: of its first line, if its own amount has several labels.
std::vector<std::string> moduleCells(const ModuleRow& row, const ShowView& view, const ModuleColumns& columns) {
  const JobModule& module = *row.module;
  std::vector<std::string> cells(kModuleCells);
  if (row.first_of_module) {
    cells[0] = moduleLabel(module, view);
  }
  const uint64_t calls = module.calls[static_cast<size_t>(row.phase)].sum;
  if (row.first_of_phase && (row.kind || calls > 0)) {
    cells[1] = phaseName(row.phase);
    cells[2] = countOrNothing(calls);
  }
  if (row.kind) {
    cells[3] = kindName(*row.kind);
    cells[4] = std::to_string(row.inclusive.count);
    cells[5] = bytesText(row.inclusive);
    if (columns.steps > 0) {
      const auto divisor = static_cast<double>(columns.steps);
      cells.push_back(countText(static_cast<double>(row.inclusive.count - row.setup.count) / divisor));
      cells.push_back(humanBytes(static_cast<double>(row.inclusive.bytes - row.setup.bytes) / divisor));
    }
  }
  cells.resize(columns.cells());
  if (!row.own_parts.empty()) {
    setOwn(cells, row.own_parts.front(), view, columns);
  } else if (columns.ranks && row.first_of_module) {
    cells[cells.size() - (columns.labels ? 2 : 1)] = ranksOf(view.job.rank_sets[module.rank_set], view.job);
  }
  return cells;
}

/// Adds a row: a line for each label that its own amount has.
void addModuleRow(Table& table, const ModuleRow& row, const ShowView& view, const ModuleColumns& columns) {
  std::vector<std::string> cells = moduleCells(row, view, columns);
  const size_t width = cells.size();
  table.add(std::move(cells));
  for (size_t i = 1; i < row.own_parts.size(); ++i) {
    std::vector<std::string> more(width);
    setOwn(more, row.own_parts[i], view, columns);
    table.add(std::move(more));
  }
}

bool hasLabels(const ModuleRows& tree) {
  return std::any_of(tree.rows.begin(), tree.rows.end(), [](const ModuleRow& row) {
    return std::any_of(row.own_parts.begin(), row.own_parts.end(), [](const OwnPart& part) {
      return !part.label.empty() || part.setup;
    });
  });
}

/// Returns whether a module, or a part of its own amount, is not on all ranks.
bool hasRanks(const ModuleRows& tree, const JobReport& job) {
  return std::any_of(tree.rows.begin(), tree.rows.end(), [&job](const ModuleRow& row) {
    const auto isPartial = [&job](const OwnPart& part) { return part.ranks != job.ranks; };
    return (row.first_of_module && job.rank_sets[row.module->rank_set] != job.ranks) ||
           std::any_of(row.own_parts.begin(), row.own_parts.end(), isPartial);
  });
}

std::string sortText(const ShowView& view) {
  if (!view.filter.sort && !view.filter.top) {
    return {};
  }
  switch (view.filter.sort.value_or(SortBy::kBytes)) {
    case SortBy::kBytes:
      return "; the most OWN BYTES first";
    case SortBy::kCount:
      return "; the highest OWN COUNT first";
    case SortBy::kCalls:
      return "; the most MODULE CALLS first";
  }
  return {};
}

std::string columnsOf(const ModuleColumns& shown) {
  return std::string("MODULE|PHASE|MODULE CALLS>|KIND|COUNT>|BYTES>|OWN COUNT>|OWN BYTES>") +
         (shown.steps > 0 ? "|COUNT PER STEP>|BYTES PER STEP>" : "") + (shown.ranks ? "|RANKS" : "") +
         (shown.labels ? "|LABEL" : "");
}

/// Returns a line for each reason why modules are not in the table.
std::string leftOutText(const ModuleRows& tree, const ShowFilter& filter, const Color& color) {
  std::string text;
  const auto add = [&](size_t modules, const std::string& why) {
    text += modules == 0 ? "" : color.dim("not shown: " + counted(modules, "module") + " " + why) + "\n";
  };
  add(tree.beyond_top, "with smaller numbers (--top)");
  add(tree.without_collectives, "without collectives (--all)");
  add(tree.too_deep, "below depth " + std::to_string(filter.depth.value_or(0)));
  return text;
}

std::string moduleText(const ShowView& view, const Color& color) {
  const ModuleRows tree = moduleRows(view);
  const ModuleColumns shown{view.filter.per_step ? stepsOf(view.job) : 0, hasLabels(tree), hasRanks(tree, view.job)};
  Table table(columnsOf(shown));
  for (const ModuleRow& row : tree.rows) {
    addModuleRow(table, row, view, shown);
  }
  std::string text = color.bold("By module") + " (COUNT and BYTES with all modules below, OWN without" +
                     (shown.labels ? ", by LABEL" : "") + sortText(view) + ")\n" + table.text(color);
  if (view.filter.per_step) {
    const std::string steps =
        "PER STEP: the mean of " + counted(shown.steps, "step") + ", without set-up" + Means(view.job).outside();
    text += color.dim(shown.steps == 0 ? "the job has no steps" : steps) + "\n";
  }
  text += shown.ranks
              ? color.dim("RANKS: of the line's own calls, else of the module; none where all ranks have it") + "\n"
              : "";
  return text + leftOutText(tree, view.filter, color);
}

/// A table with a column of counts per shown phase, then the sum.
class AmountTable {
 public:
  AmountTable(std::string columns, const Amounts& job, std::optional<Phase> phase) : phase_(phase) {
    for (int i = 0; i < kPhaseCount; ++i) {
      const auto shown = static_cast<Phase>(i);
      if (!phase_ && sumOf(job, shown, std::nullopt).count > 0) {
        phases_.push_back(shown);
        columns.append("|").append(phaseName(shown)).append(">");
      }
    }
    table_.emplace(columns + "|COUNT>|BYTES>|BUS BYTES>");
  }

  /// Adds a row, unless its sum is zero.
  void add(std::vector<std::string> cells, const Amounts& amounts, std::optional<Kind> kind) {
    const Amount sum = sumOf(amounts, phase_, kind);
    if (sum.count == 0) {
      return;
    }
    for (const Phase phase : phases_) {
      cells.push_back(countOrNothing(sumOf(amounts, phase, kind).count));
    }
    cells.insert(cells.end(), {std::to_string(sum.count), bytesText(sum), humanBytes(sum.bus_bytes)});
    table_->add(std::move(cells));
  }

  std::string text(const Color& color) const {
    return table_->text(color);
  }

 private:
  std::optional<Phase> phase_;
  std::vector<Phase> phases_;
  std::optional<Table> table_;
};

std::string kindText(const ShowView& view, const Color& color) {
  const Amounts job = amountsOf(view.job);
  AmountTable table("KIND", job, view.filter.phase);
  for (int i = 0; i < kKindCount; ++i) {
    const auto kind = static_cast<Kind>(i);
    table.add({std::string(kindName(kind))}, job, kind);
  }
  table.add({"all"}, job, std::nullopt);
  return color.bold("By kind") + "\n" + table.text(color);
}

std::string membersText(const JobGroup& group) {
  if (group.members.size() != 1) {
    return group.members.empty() ? "?" : fmt::format("{} groups", group.members.size());
  }
  return rankText(rankRanges({group.members[0].begin(), group.members[0].end()}));
}

std::string groupText(const ShowView& view, const Color& color) {
  AmountTable table("GROUP|BACKEND|SIZE>|RANKS", amountsOf(view.job), view.filter.phase);
  for (const JobGroup& group : view.job.groups) {
    table.add({group.name, group.backend, sizeText(group.size), membersText(group)}, group.totals, std::nullopt);
  }
  return color.bold("By group") + "\n" + table.text(color);
}

/// Adds a row whose calls a compiler merged, and below it the modules of those calls.
void addBucket(Table& table, const JobCollective& row, const JobReport& job) {
  uint64_t merged = 0;
  for (const JobMember& member : row.members) {
    addSaturating(merged, member.count.value_or(0));
  }
  table.add(
      {labelledModule(row.module, row.label, row.setup),
       std::string(phaseName(row.phase)),
       std::string(kindName(row.kind)),
       inert(job.groups[row.group].name),
       std::to_string(row.amount.count.sum),
       std::to_string(merged),
       humanBytes(row.amount.bytes.sum)});
  for (const JobMember& member : row.members) {
    const std::string calls = std::to_string(member.count.value_or(0));
    table.add({"  " + inert(member.module), "", "", "", "", calls, humanBytes(member.bytes)});
  }
}

/// Returns a table of the rows whose calls a compiler merged; "" if there are none.
std::string bucketText(const ShowView& view, const Color& color) {
  constexpr size_t kMost = 40; // lines
  Table table("MODULE|PHASE|KIND|GROUP|COUNT>|MERGED>|BYTES>");
  size_t lines = 0;
  for (const JobCollective& row : view.job.collectives) {
    const bool is_shown = !view.filter.phase || row.phase == *view.filter.phase;
    if (!isMerged(row) || !is_shown || !view.filter.shows(row.module)) {
      continue;
    }
    lines += 1 + row.members.size();
    if (lines <= kMost) {
      addBucket(table, row, view.job);
    }
  }
  if (lines == 0) {
    return "";
  }
  const std::string title = "Bucketed (COUNT calls that a compiler made of the MERGED ones of several modules)";
  const std::string more = lines > kMost ? color.dim("more: commtap export --format job") + "\n" : "";
  return color.bold(title) + "\n" + table.text(color) + more;
}

} // namespace

std::string showText(const ShowView& view, const Color& color) {
  std::string text = headerText(view.job, view.is_one_process ? Scope::kProcess : Scope::kRun, color);
  if (view.filter.phase) {
    text += fmt::format("phase {} only\n", phaseName(*view.filter.phase));
  }
  text += view.filter.ranks ? agreementText(view.job, color) + "\n" + spreadText(view.job, color)
                            : "\n" + moduleText(view, color) + "\n" + kindText(view, color);
  text += "\n" + groupText(view, color);
  for (const std::string& table : {bucketText(view, color), splitsText(view, color)}) {
    text += table.empty() || view.filter.ranks ? "" : "\n" + table;
  }
  if (view.filter.operations) {
    text += "\n" + operationsText(view.operations, color, view.filter.module);
  }
  if (view.filter.time) {
    text +=
        "\n" + timeText({view.group_times, view.module_times, view.job, view.filter.module, view.filter.total}, color);
  }
  if (view.filter.steps) {
    text += view.filter.phase ? "\nsteps count all phases\n" : "\n";
    text += stepsText(view.job, view.steps, color);
  }
  if (view.filter.last > 0) {
    text += "\n" + mismatchText(view.mismatches, color) + lastText(view.last, color);
  }
  if (view.filter.nccl) {
    const std::string nccl = ncclText(view.job, color, view.filter.phase);
    const std::string graphs = cudaGraphsText(view.graphs, color);
    text += "\n" + (nccl.empty() ? "NCCL was not called, or not where commtap can see it: commtap help nccl\n" : nccl);
    text += graphs.empty() ? "" : "\n" + graphs;
    text += view.is_merged ? "a merged report does not hold CUDA graphs: give the folder of the reports\n" : "";
  }
  return text;
}

} // namespace commtap
