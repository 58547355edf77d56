// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tables/report_tables.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/json/fields.h"
#include "report/json/nccl_columns.h"
#include "report/json/process_columns.h"
#include "report/json/row_columns.h"
#include "report/model/module_tree.h"
#include "report/model/saturating.h"
#include "tools/tables/table_fields.h"

namespace commtap {
namespace {

using nlohmann::json;

using Visit = std::function<void(TableCells)>; ///< without the columns that name the process

/// A table and the function that reads its rows.
struct TableDescription {
  TableRow row;
  std::function<void(const TableSource&, const Visit&)> visit;
};

template <typename Row>
std::vector<TableColumn> columnsOf(const std::vector<TableField<Row>>& fields) {
  std::vector<TableColumn> columns;
  for (const TableField<Row>& field : fields) {
    columns.push_back(field.column);
  }
  return columns;
}

/// Returns the table. `rowsOf(source)` returns the rows of a report, as a range of Row.
template <typename Row, typename RowsOf>
TableDescription
tableOf(TableId id, const char* name, const char* help, const TableFields<Row>& fields, RowsOf rowsOf) {
  return {
      .row = {.id = id, .name = name, .help = help, .columns = columnsOf(fields.fields())},
      .visit = [fields = fields.fields(), rowsOf](const TableSource& source, const Visit& visit) {
        for (const Row& row : rowsOf(source.report())) {
          TableCells cells;
          for (const TableField<Row>& field : fields) {
            cells.push_back(field.cell(source, row));
          }
          visit(std::move(cells));
        }
      }};
}

TableFields<Job> keyFields() {
  TableFields<Job> fields;
  for (const char* name :
       {field::kWorldSize,
        field::kLocalRank,
        field::kStartedAt,
        field::kEndedAt,
        field::kExit,
        field::kExitSignal,
        field::kArgv,
        field::kTorch,
        field::kPython,
        field::kCommtap,
        field::kTiming,
        field::kStepsFrom,
        field::kPlanned,
        field::kExitStatus,
        field::kSignalSentAt,
        field::kRunName}) {
    fields.without(name);
  }
  return fields.moveAfter(field::kAttempt, field::kRunId);
}

TableDescription processes() {
  TableFields<Job> fields;
  const TableFields<Job> key_fields = keyFields();
  for (const TableField<Job>& key : key_fields.fields()) {
    fields.without(key.column.name);
  }
  fields.moveAfter(field::kArgv, field::kExitSignal).moveAfter(field::kRunName, field::kSignalSentAt);
  return tableOf(TableId::kProcesses, "processes", "One row per process.", fields, [](const Report& report) {
    return std::span(&report.job, 1);
  });
}

TableDescription groups() {
  TableFields<Group> fields;
  fields.rename(field::kName, field::kGroup).without(field::kRanks);
  fields.after(
      field::kSize,
      {{{field::kRanks, "BIGINT[]", "The global ranks in the group, in the group's order; empty if not known."},
        [](const TableSource&, const Group& group) { return group.ranks; }}});
  return tableOf(
      TableId::kGroups, "groups", "One row per process and process group.", fields, [](const Report& report) {
        return std::span(report.groups);
      });
}

int64_t elementsOf(const std::vector<int64_t>& shape) {
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    elements = productSaturating(elements, extent);
  }
  return elements;
}

/// Returns the number of elements of a module's own parameters, for whole shapes or for this rank's part.
int64_t elementsOf(const Module& module, std::vector<int64_t> Parameter::*shape) {
  int64_t elements = 0;
  for (const Parameter& parameter : module.parameters) {
    addSaturating(elements, elementsOf(parameter.*shape));
  }
  return elements;
}

TableFields<Module>::Fields callsFields() {
  TableFields<Module>::Fields fields;
  for (int i = 0; i < kPhaseCount; ++i) {
    const std::string_view phase = phaseName(static_cast<Phase>(i));
    fields.push_back(
        {{fmt::format("calls_{}", phase), "BIGINT", fmt::format("The number of calls in phase {}.", phase)},
         [i](const TableSource&, const Module& module) { return module.calls[static_cast<size_t>(i)]; }});
  }
  return fields;
}

TableDescription modules() {
  TableFields<Module> fields;
  fields.rename(field::kName, field::kModule).append(callsFields());
  fields.append({
      {{"parameters", "BIGINT", "The number of tensors among the module's own parameters."},
       [](const TableSource&, const Module& module) { return module.parameters.size(); }},
      {{"parameter_elements", "BIGINT", "The elements in these, of all ranks."},
       [](const TableSource&, const Module& module) { return elementsOf(module, &Parameter::shape); }},
      {{"local_parameter_elements", "BIGINT", "The elements in these on this rank."},
       [](const TableSource&, const Module& module) { return elementsOf(module, &Parameter::local_shape); }},
  });
  fields.moveToEnd(field::kWrappers);
  return tableOf(
      TableId::kModules, "modules", "One row per process and module of its tree.", fields, [](const Report& report) {
        return std::span(report.modules);
      });
}

/// Returns null if the row's group is not known.
template <typename Value>
std::function<json(const TableSource&, const Collective&)> ofGroup(Value Group::*member) {
  return [member](const TableSource& source, const Collective& row) {
    const Group* group = source.group(row.group);
    return group == nullptr ? json(nullptr) : json(group->*member);
  };
}

struct DurationHelp {
  const char* name;
  const char* count;
  const char* sum;
};
constexpr std::array<DurationHelp, kDurationKindCount> kDurationHelp = {{
    {"queued",
     "The calls whose time in the backend's queue is known; 0 without COMMTAP_TIMING.",
     "The sum of these times in nanoseconds."},
    {"running", "The calls whose running time is known.", "The sum of these times in nanoseconds."},
    {"exposed",
     "How many times the job stood still because a call had not completed.",
     "The sum of these times in nanoseconds."},
}};

TableFields<Collective>::Fields timeFields() {
  TableFields<Collective>::Fields fields;
  for (size_t kind = 0; kind < kDurationHelp.size(); ++kind) {
    const DurationHelp& help = kDurationHelp[kind];
    fields.push_back(
        {{fmt::format("{}_count", help.name), "BIGINT", help.count},
         [kind](const TableSource&, const Collective& row) { return row.time.durations[kind].count; }});
    fields.push_back(
        {{fmt::format("{}_ns", help.name), "BIGINT", help.sum},
         [kind](const TableSource&, const Collective& row) { return row.time.durations[kind].sum_ns; }});
  }
  fields.push_back(
      {{field::kTimedBytes, "BIGINT", "The payload in bytes of the calls in running_count."},
       [](const TableSource&, const Collective& row) { return row.time.bytes; }});
  fields.push_back(
      {{field::kTimedBusBytes, "DOUBLE", "timed_bytes times the bus bandwidth factor."},
       [](const TableSource&, const Collective& row) { return row.time.bus_bytes; }});
  return fields;
}

TableFields<Collective>::Fields splitFields() {
  const auto ofSplits = [](auto get) {
    return [get](const TableSource&, const Collective& row) {
      return row.splits.calls == 0 ? json(nullptr) : cells::cellOf(get(row.splits), AsItIs());
    };
  };
  return {
      {{"split_calls", "BIGINT", "The calls with split sizes."},
       [](const TableSource&, const Collective& row) { return row.splits.calls; }},
      {{"imbalance_mean", "DOUBLE", "The mean over these of the largest part over the mean part; null without any."},
       ofSplits([](const Splits& splits) { return splits.imbalance.mean; })},
      {{"imbalance_max", "DOUBLE", "The largest of these imbalances; null without any."},
       ofSplits([](const Splits& splits) { return splits.imbalance.max; })},
      {{field::kHottestPeer, "BIGINT", "The global rank that most bytes went to; null if not known, or none has most."},
       ofSplits([](const Splits& splits) { return splits.hottest_peer; })},
      {{field::kColdestPeer, "BIGINT", "The global rank that fewest bytes went to; null if `hottest_peer` is."},
       ofSplits([](const Splits& splits) { return splits.coldest_peer; })},
      {{field::kZeroPeers, "BIGINT", "The parts of 0 bytes in these calls; null without any."},
       ofSplits([](const Splits& splits) { return splits.zero_peers; })},
  };
}

/// Returns the first component of the row's module; null for Global.
json rootOf(const TableSource& /*source*/, const Collective& row) {
  return row.module == kGlobalName ? json(nullptr) : json(row.module.substr(0, row.module.find('.')));
}

TableDescription collectives() {
  TableFields<Collective> fields;
  fields.after(
      field::kGroup,
      {
          {{"group_desc", "VARCHAR", "The group's description; null if the group is not known."},
           ofGroup(&Group::desc)},
          {{"group_size", "BIGINT", "The number of ranks in the group; null if the group is not known."},
           ofGroup(&Group::size)},
          {{field::kBackend, "VARCHAR", "The group's backend; null if the group is not known."},
           ofGroup(&Group::backend)},
      });
  fields.append(timeFields());
  fields.append(
      {{{"root", "VARCHAR", "The root module that the row's module belongs to; null for `Global`."}, rootOf}});
  fields.moveToEnd(field::kLabel);
  fields.moveToEnd(field::kCompiled);
  fields.moveToEnd(field::kSetup);
  fields.append(splitFields());
  return tableOf(
      TableId::kCollectives,
      "collectives",
      "One row per process and distinct key, as in the report. Counts are exclusive.",
      fields,
      [](const Report& report) { return std::span(report.collectives); });
}

TableDescription notSeen() {
  return tableOf(
      TableId::kNotSeen,
      "not_seen",
      "One row per process and reason. Without a row, nothing is missing.",
      TableFields<NotSeenEntry>(),
      [](const Report& report) { return std::span(report.not_seen); });
}

TableDescription operations() {
  return tableOf(
      TableId::kOperations,
      "operations",
      "One row per process, module, phase and op. Empty unless the job ran with COMMTAP_LEVEL.",
      TableFields<Operation>(),
      [](const Report& report) {
        return report.operations ? std::span<const Operation>(*report.operations) : std::span<const Operation>();
      });
}

/// A step's amount of one kind and group. `amount` is nullptr for a step without collectives.
struct StepRow {
  const Step* step;
  const StepAmount* amount;
};

std::vector<StepRow> stepRows(const Report& report) {
  std::vector<StepRow> rows;
  for (const Step& step : report.steps) {
    for (const StepAmount& amount : step.collectives) {
      rows.push_back({&step, &amount});
    }
    if (step.collectives.empty()) {
      rows.push_back({&step, nullptr});
    }
  }
  return rows;
}

TableDescription steps() {
  std::vector<TableField<StepRow>> fields;
  const TableFields<Step> of_step;
  const TableFields<StepAmount> of_amount;
  for (const TableField<Step>& field : of_step.fields()) {
    fields.push_back({field.column, [cell = field.cell](const TableSource& source, const StepRow& row) {
                        return cell(source, *row.step);
                      }});
  }
  for (const TableField<StepAmount>& field : of_amount.fields()) {
    const bool is_number = field.column.type == "BIGINT";
    fields.push_back({field.column, [cell = field.cell, is_number](const TableSource& source, const StepRow& row) {
                        return row.amount != nullptr ? cell(source, *row.amount) : is_number ? json(0) : json(nullptr);
                      }});
  }
  return {
      .row =
          {.id = TableId::kSteps,
           .name = "steps",
           .help = "One row per process, training step, kind and group. A step without collectives has one row, whose "
                   "kind and group are null. Times are 0 without COMMTAP_TIMING.",
           .columns = columnsOf(fields)},
      .visit = [fields](const TableSource& source, const Visit& visit) {
        for (const StepRow& row : stepRows(source.report())) {
          TableCells cells;
          for (const TableField<StepRow>& field : fields) {
            cells.push_back(field.cell(source, row));
          }
          visit(std::move(cells));
        }
      }};
}

TableDescription last() {
  return tableOf(
      TableId::kLast,
      "last",
      "One row per process and collective, for the last ones that the process issued.",
      TableFields<LastCollective>(),
      [](const Report& report) { return std::span(report.last); });
}

/// Returns null if the call names no communicator, or if NCCL did not report the fact.
std::function<json(const TableSource&, const NcclCall&)> ofCommunicator(
    std::optional<uint32_t> NcclCommunicator::*member) {
  return [member](const TableSource& source, const NcclCall& call) {
    const std::vector<NcclCommunicator>& communicators = source.report().nccl->communicators;
    const bool known = call.communicator && *call.communicator < communicators.size();
    return known ? cells::cellOf(communicators[*call.communicator].*member, AsItIs()) : json(nullptr);
  };
}

TableDescription ncclCalls() {
  TableFields<NcclCall> fields;
  fields.after(
      field::kCommunicator,
      {
          {{"communicator_size", "BIGINT", "The number of ranks in the communicator; null if not known."},
           ofCommunicator(&NcclCommunicator::size)},
          {{"communicator_rank", "BIGINT", "This process's rank in the communicator; null if not known."},
           ofCommunicator(&NcclCommunicator::rank)},
      });
  fields.append({
      {{"nccl_version", "VARCHAR", "NCCL's version; null if NCCL did not report it."},
       [](const TableSource& source, const NcclCall&) {
         return cells::cellOf(source.report().nccl->version, NullIfEmpty());
       }},
  });
  return tableOf(
      TableId::kNcclCalls,
      "nccl_calls",
      "One row per process and distinct NCCL call. Empty unless the job uses NCCL.",
      fields,
      [](const Report& report) {
        return report.nccl ? std::span<const NcclCall>(report.nccl->calls) : std::span<const NcclCall>();
      });
}

TableDescription members() {
  return tableOf(
      TableId::kMembers,
      "members",
      "One row per process, row of `collectives` and module whose parameters it carries. Empty where they are not "
      "known.",
      TableFields<Member>(),
      [](const Report& report) { return std::span(report.members); });
}

TableDescription stalls() {
  const TableFields<StalledIn> fields;
  std::vector<TableColumn> columns = columnsOf(fields.fields());
  columns.insert(columns.begin(), {field::kRow, "BIGINT", "The row: its position in `collectives`, from 0."});
  return {
      .row =
          {.id = TableId::kStalls,
           .name = "stalls",
           .help = "One row per process, row of `collectives`, and module and phase that stood still for it. Empty "
                   "without COMMTAP_TIMING.",
           .columns = std::move(columns)},
      .visit = [all = fields.fields()](const TableSource& source, const Visit& visit) {
        const std::vector<Collective>& rows = source.report().collectives;
        for (size_t i = 0; i < rows.size(); ++i) {
          for (const StalledIn& stalled : longestFirst(rows[i].time.stalled_in)) {
            TableCells cells = {i};
            for (const TableField<StalledIn>& field : all) {
              cells.push_back(field.cell(source, stalled));
            }
            visit(std::move(cells));
          }
        }
      }};
}

/// Returns the tables, by TableId.
const std::array<TableDescription, kTableCount>& tables() {
  static const std::array<TableDescription, kTableCount> kTables = {
      processes(),
      groups(),
      modules(),
      collectives(),
      notSeen(),
      operations(),
      steps(),
      last(),
      ncclCalls(),
      members(),
      stalls(),
  };
  return kTables;
}

const std::vector<TableField<Job>>& processKey() {
  static const std::vector<TableField<Job>> kKey = keyFields().fields();
  return kKey;
}

} // namespace

std::vector<TableColumn> processKeyColumns() {
  return columnsOf(processKey());
}

std::vector<TableRow> reportTables() {
  std::vector<TableRow> rows;
  for (const TableDescription& table : tables()) {
    rows.push_back(table.row);
  }
  return rows;
}

std::vector<TableColumn> columnsOf(TableId table) {
  std::vector<TableColumn> columns = columnsOf(processKey());
  const TableRow& row = tables()[static_cast<size_t>(table)].row;
  columns.insert(columns.end(), row.columns.begin(), row.columns.end());
  return columns;
}

void forEachRow(TableId table, const Report& report, const std::function<void(const TableCells&)>& visit) {
  const TableSource source(report);
  TableCells key;
  for (const TableField<Job>& field : processKey()) {
    key.push_back(field.cell(source, report.job));
  }
  tables()[static_cast<size_t>(table)].visit(source, [&](TableCells cells) {
    cells.insert(cells.begin(), key.begin(), key.end());
    visit(cells);
  });
}

} // namespace commtap
