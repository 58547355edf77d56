// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tables/report_tables.h"

#include <array>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/base/timestamp.h"
#include "report/json/fields.h"
#include "report/model/nccl.h"

namespace commtap {
namespace {

using nlohmann::json;

constexpr std::array<TableColumn, 5> kProcessKey = {{
    {field::kRunId, "VARCHAR", "the run"},
    {field::kAttempt, "BIGINT", "how often the launcher had restarted the job"},
    {field::kRank, "BIGINT", "null for a process without one"},
    {field::kHost, "VARCHAR", "the host's name"},
    {field::kPid, "BIGINT", "the process id on its host"},
}};

constexpr std::array<TableColumn, 10> kProcesses = {{
    {field::kWorldSize, "BIGINT", "ranks in the job; null if it is not known"},
    {field::kLocalRank, "BIGINT", "the rank on its host; null if it is not known"},
    {field::kStartedAt, "VARCHAR", "RFC 3339 in UTC with microseconds"},
    {field::kEndedAt, "VARCHAR", "likewise; null while it runs, or if it is not known"},
    {field::kExit, "VARCHAR", "running, normal, _exit, signal or killed"},
    {field::kExitSignal, "BIGINT", "null for none"},
    {field::kArgv, "VARCHAR[]", "the command line"},
    {field::kTorch, "VARCHAR", "torch's version; null if it is not known"},
    {field::kPython, "VARCHAR", "Python's version; null for a job without Python"},
    {field::kCommtap, "VARCHAR", "commtap's version"},
}};

constexpr std::array<TableColumn, 5> kGroups = {{
    {field::kGroup, "VARCHAR", "the process group's name, unique in the process"},
    {field::kDesc, "VARCHAR", "its description, for example a mesh dimension"},
    {field::kBackend, "VARCHAR", "gloo, nccl, ..."},
    {field::kSize, "BIGINT", "ranks in it"},
    {field::kRanks, "BIGINT[]", "their global ranks; empty if they are not known"},
}};

constexpr std::array<TableColumn, 13> kModules = {{
    {field::kId, "BIGINT", "unique in the process; 0 is Global"},
    {field::kParent, "BIGINT", "the parent's id; null for Global"},
    {field::kModule, "VARCHAR", "the clean name, by which rows of `collectives` know it"},
    {field::kRawName, "VARCHAR", "with the components of wrappers"},
    {field::kClass, "VARCHAR", "the class's name; null for Global"},
    {"calls_forward", "BIGINT", "calls in phase forward"},
    {"calls_backward", "BIGINT", "calls in phase backward"},
    {"calls_recompute", "BIGINT", "calls in phase recompute"},
    {"calls_optimizer", "BIGINT", "calls in phase optimizer"},
    {"calls_other", "BIGINT", "calls in phase other"},
    {"parameters", "BIGINT", "its own parameters: how many tensors"},
    {"parameter_elements", "BIGINT", "elements in them, of all ranks together"},
    {"local_parameter_elements", "BIGINT", "elements of them on this rank"},
}};

constexpr std::array<TableColumn, 24> kCollectives = {{
    {field::kModule, "VARCHAR", "for whom"},
    {field::kPhase, "VARCHAR", "forward, backward, recompute, optimizer or other"},
    {field::kOp, "VARCHAR", "what was called"},
    {field::kKind, "VARCHAR", "what it does: all_reduce, all_gather, ..."},
    {field::kGroup, "VARCHAR", "the process group's name; \"?\" if it is not known"},
    {"group_desc", "VARCHAR", "its description; null if the group is not known"},
    {"group_size", "BIGINT", "ranks in it; null if the group is not known"},
    {field::kBackend, "VARCHAR", "null if the group is not known"},
    {field::kDtype, "VARCHAR", "null for none"},
    {field::kReduceOp, "VARCHAR", "null for none"},
    {field::kAsync, "BOOLEAN", "null where the op does not say"},
    {field::kIssuedIn, "VARCHAR", "the module in which the call was made"},
    {field::kLowered, "VARCHAR[]", "the ops that this one called"},
    {field::kCount, "BIGINT", "exclusive"},
    {field::kBytes, "BIGINT", "payload, exclusive"},
    {field::kBusBytes, "DOUBLE", "payload times the bus bandwidth factor, exclusive"},
    {"queued_count", "BIGINT", "calls whose time in the backend's queue is known; 0 without COMMTAP_TIMING"},
    {"queued_ns", "BIGINT", "of these, added up"},
    {"running_count", "BIGINT", "calls of which it is known how long they ran"},
    {"running_ns", "BIGINT", "of these, added up"},
    {"blocked_count", "BIGINT", "waits of a thread of the job for one that was not over"},
    {"blocked_ns", "BIGINT", "of these, added up"},
    {field::kTimedBytes, "BIGINT", "payload of the calls in running_count"},
    {field::kTimedBusBytes, "DOUBLE", "the same times the bus bandwidth factor"},
}};

constexpr std::array<TableColumn, 4> kNotSeen = {{
    {field::kReason, "VARCHAR", "what kind of thing is missing"},
    {field::kCount, "BIGINT", "how many"},
    {field::kDetail, "VARCHAR", "the first thing that it happened to"},
    {field::kMeaning, "VARCHAR", "one sentence"},
}};

constexpr std::array<TableColumn, 5> kOperations = {{
    {field::kModule, "VARCHAR", "the module in which the call was made"},
    {field::kPhase, "VARCHAR", "forward, backward, recompute, optimizer or other"},
    {field::kOp, "VARCHAR", "what was called"},
    {field::kDtensor, "BOOLEAN", "whether with a DTensor"},
    {field::kCount, "BIGINT", "calls"},
}};

constexpr std::array<TableColumn, 12> kSteps = {{
    {field::kFirstStep, "BIGINT", "the step's number, from 0"},
    {field::kSteps, "BIGINT", "how many steps are added up in the row"},
    {field::kStartedAt, "VARCHAR", "RFC 3339 in UTC with microseconds"},
    {field::kEndedAt, "VARCHAR", "likewise; null for the step that ran at the end"},
    {field::kForwardPasses, "BIGINT", "calls of root modules, in all kinds and groups: the same in each row of a step"},
    {field::kBackwardPasses, "BIGINT", "likewise"},
    {field::kKind, "VARCHAR", "all_reduce, all_gather, ...; null if the step communicated nothing"},
    {field::kGroup, "VARCHAR", "the process group's name; \"?\" for several or none"},
    {field::kCount, "BIGINT", "calls"},
    {field::kBytes, "BIGINT", "payload"},
    {field::kRunningNs, "BIGINT", "how long those ran that were over in this step; 0 without COMMTAP_TIMING"},
    {field::kBlockedNs, "BIGINT", "how long threads of the job waited for them in this step; likewise"},
}};

constexpr std::array<TableColumn, 16> kLastCollectives = {{
    {field::kNumber, "BIGINT", "of all that the process issued, from 1"},
    {field::kGroup, "VARCHAR", "the process group's name; \"?\" if it is not known"},
    {field::kSequence, "BIGINT", "in the group, from 1; sends and receives are counted apart"},
    {field::kStep, "BIGINT", "the step in which it was issued"},
    {field::kModule, "VARCHAR", "for whom"},
    {field::kIssuedIn, "VARCHAR", "the module in which the call was made"},
    {field::kPhase, "VARCHAR", "forward, backward, recompute, optimizer or other"},
    {field::kOp, "VARCHAR", "what was called"},
    {field::kKind, "VARCHAR", "what it does: all_reduce, all_gather, ..."},
    {field::kDtype, "VARCHAR", "null for none"},
    {field::kBytes, "BIGINT", "payload"},
    {field::kPeer, "BIGINT", "rank in the group that is sent to or received from; null for other kinds"},
    {field::kState, "VARCHAR", "issued, returned, completed or failed"},
    {field::kIssuedAt, "VARCHAR", "RFC 3339 in UTC with microseconds"},
    {field::kStartedAt, "VARCHAR", "likewise; null if it is not known"},
    {field::kCompletedAt, "VARCHAR", "likewise; null if it is not known"},
}};

constexpr std::array<TableColumn, 16> kNcclCallColumns = {{
    {field::kFunction, "VARCHAR", "what was called: ncclAllReduce, ..."},
    {field::kCommunicator, "BIGINT", "which of the process's communicators; null for a call that names none"},
    {"communicator_size", "BIGINT", "ranks in it; null if it is not known"},
    {"communicator_rank", "BIGINT", "this process's rank in it; null if it is not known"},
    {field::kOp, "VARCHAR", "the collective that made the call; null for a call beside c10d"},
    {field::kGroup, "VARCHAR", "that collective's process group; null for none"},
    {field::kModule, "VARCHAR", "for whom"},
    {field::kPhase, "VARCHAR", "forward, backward, recompute, optimizer or other"},
    {field::kDtype, "VARCHAR", "null for none"},
    {field::kInGroup, "BOOLEAN", "between ncclGroupStart and ncclGroupEnd; null if it is not known"},
    {field::kSource, "VARCHAR", "call: seen as it was made; plugin: told by NCCL"},
    {field::kCount, "BIGINT", "calls"},
    {field::kFailed, "BIGINT", "of which NCCL refused"},
    {field::kBytes, "BIGINT", "payload"},
    {field::kCaptured, "BIGINT", "calls that became part of a CUDA graph, whose launches are in `count`"},
    {"nccl_version", "VARCHAR", "null if NCCL did not tell"},
}};

constexpr std::array<TableRow, kTableCount> kTables = {{
    {TableId::kProcesses, "processes", "One row a process.", kProcesses},
    {TableId::kGroups, "groups", "One row a process and process group.", kGroups},
    {TableId::kModules, "modules", "One row a process and module of its tree.", kModules},
    {TableId::kCollectives,
     "collectives",
     "One row a process and distinct key, as in the report. Counts are exclusive.",
     kCollectives},
    {TableId::kNotSeen, "not_seen", "One row a process and reason. No row: nothing was missed.", kNotSeen},
    {TableId::kOperations,
     "operations",
     "One row a process, module, phase and op. Empty unless the job ran with COMMTAP_LEVEL.",
     kOperations},
    {TableId::kSteps, "steps", "One row a process, training step, kind and group.", kSteps},
    {TableId::kLast, "last", "One row a process and collective, of the last ones that it issued.", kLastCollectives},
    {TableId::kNcclCalls,
     "nccl_calls",
     "One row a process and distinct call of NCCL. Empty unless the job uses NCCL.",
     kNcclCallColumns},
}};

template <typename T>
json orNull(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json textOrNull(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

json timeOrNull(const std::optional<uint64_t>& time_ns) {
  return time_ns ? json(formatTimestamp(*time_ns)) : json(nullptr);
}

using Visit = std::function<void(Cells)>; ///< without the columns that name the process

void visitProcesses(const Report& report, const Visit& visit) {
  const Job& job = report.job;
  visit(
      {orNull(job.world_size),
       orNull(job.local_rank),
       formatTimestamp(job.started_at_ns),
       timeOrNull(job.ended_at_ns),
       exitKindName(job.exit),
       orNull(job.exit_signal),
       job.argv,
       textOrNull(job.torch_version),
       textOrNull(job.python_version),
       job.commtap_version});
}

void visitGroups(const Report& report, const Visit& visit) {
  for (const Group& group : report.groups) {
    visit({group.name, group.desc, group.backend, group.size, group.ranks});
  }
}

int64_t elementsOf(const std::vector<int64_t>& shape) {
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    elements *= extent;
  }
  return elements;
}

void visitModules(const Report& report, const Visit& visit) {
  for (const Module& module : report.modules) {
    int64_t elements = 0;
    int64_t local_elements = 0;
    for (const Parameter& parameter : module.parameters) {
      elements += elementsOf(parameter.shape);
      local_elements += elementsOf(parameter.local_shape);
    }
    Cells cells = {module.id, orNull(module.parent), module.name, module.raw_name, textOrNull(module.class_name)};
    cells.insert(cells.end(), module.calls.begin(), module.calls.end());
    cells.insert(cells.end(), {module.parameters.size(), elements, local_elements});
    visit(std::move(cells));
  }
}

json asyncCell(AsyncOp async_op) {
  return async_op == AsyncOp::kUnknown ? json(nullptr) : json(async_op == AsyncOp::kYes);
}

void visitCollectives(const Report& report, const Visit& visit) {
  std::unordered_map<std::string, const Group*> groups;
  for (const Group& group : report.groups) {
    groups.emplace(group.name, &group);
  }
  for (const Collective& row : report.collectives) {
    const auto group = groups.find(row.group);
    const bool known = group != groups.end();
    Cells cells = {
        row.module,
        phaseName(row.phase),
        row.op,
        kindName(row.kind),
        row.group,
        known ? json(group->second->desc) : json(nullptr),
        known ? json(group->second->size) : json(nullptr),
        known ? json(group->second->backend) : json(nullptr),
        textOrNull(row.dtype),
        textOrNull(row.reduce_op),
        asyncCell(row.async_op),
        row.issued_in,
        row.lowered,
        row.count,
        row.bytes,
        row.bus_bytes};
    for (const Durations& durations : row.time.durations) {
      cells.insert(cells.end(), {durations.count, durations.sum_ns});
    }
    cells.insert(cells.end(), {row.time.bytes, row.time.bus_bytes});
    visit(std::move(cells));
  }
}

void visitNotSeen(const Report& report, const Visit& visit) {
  for (const NotSeenEntry& entry : report.not_seen) {
    visit({entry.reason, entry.count, entry.detail, entry.meaning});
  }
}

void visitOperations(const Report& report, const Visit& visit) {
  for (const Operation& row : report.operations.value_or(std::vector<Operation>())) {
    visit({row.module, phaseName(row.phase), row.op, row.dtensor, row.count});
  }
}

void visitSteps(const Report& report, const Visit& visit) {
  for (const Step& step : report.steps) {
    const Cells head = {
        step.first_step,
        step.steps,
        formatTimestamp(step.started_at_ns),
        timeOrNull(step.ended_at_ns),
        step.forward_passes,
        step.backward_passes};
    const auto row = [&](const Cells& rest) {
      Cells cells = head;
      cells.insert(cells.end(), rest.begin(), rest.end());
      visit(std::move(cells));
    };
    for (const StepAmount& amount : step.collectives) {
      row({kindName(amount.kind), amount.group, amount.count, amount.bytes, amount.running_ns, amount.blocked_ns});
    }
    if (step.collectives.empty()) {
      row({nullptr, nullptr, 0, 0, 0, 0});
    }
  }
}

void visitLast(const Report& report, const Visit& visit) {
  for (const LastCollective& last : report.last) {
    visit(
        {last.number,
         last.group,
         last.sequence,
         last.step,
         last.module,
         last.issued_in,
         phaseName(last.phase),
         last.op,
         kindName(last.kind),
         textOrNull(last.dtype),
         last.bytes,
         orNull(last.peer),
         lastStateName(last.state),
         formatTimestamp(last.issued_at_ns),
         timeOrNull(last.started_at_ns),
         timeOrNull(last.completed_at_ns)});
  }
}

void visitNcclCalls(const Report& report, const Visit& visit) {
  if (!report.nccl) {
    return;
  }
  const std::vector<NcclCommunicator>& communicators = report.nccl->communicators;
  for (const NcclCall& call : report.nccl->calls) {
    const bool known = call.communicator && *call.communicator < communicators.size();
    const NcclCommunicator communicator = known ? communicators[*call.communicator] : NcclCommunicator();
    visit(
        {call.function,
         orNull(call.communicator),
         orNull(communicator.size),
         orNull(communicator.rank),
         textOrNull(call.op),
         textOrNull(call.group),
         call.module,
         phaseName(call.phase),
         textOrNull(call.dtype),
         orNull(call.in_group),
         ncclSourceName(call.source),
         call.count,
         call.failed,
         call.bytes,
         call.captured,
         textOrNull(report.nccl->version)});
  }
}

constexpr std::string_view kIntroduction = R"(# Tables

<!-- Made from the table in tools/tables/report_tables.cc by `./dev docs`. -->

`commtap export --format csv|jsonl --table NAME` writes reports as flat tables. [Queries](analytics.md) over them are for
DuckDB and Spark. In CSV null is empty and a list's items are separated by spaces; JSON lines are pure ASCII. Columns
may be added at a table's end; none is renamed or removed.

Every table starts with the columns that name the process:

)";

void addColumns(std::span<const TableColumn> columns, std::string& page) {
  page += "| column | type | what it is |\n|---|---|---|\n";
  for (const TableColumn& column : columns) {
    page += fmt::format("| `{}` | {} | {} |\n", column.name, column.type, column.help);
  }
}

} // namespace

std::span<const TableRow> reportTables() {
  return kTables;
}

std::optional<TableId> tableFromName(std::string_view name) {
  for (const TableRow& table : kTables) {
    if (table.name == name) {
      return table.id;
    }
  }
  return std::nullopt;
}

std::vector<TableColumn> columnsOf(TableId table) {
  std::vector<TableColumn> columns(kProcessKey.begin(), kProcessKey.end());
  const TableRow& row = kTables[static_cast<size_t>(table)];
  columns.insert(columns.end(), row.columns.begin(), row.columns.end());
  return columns;
}

void forEachRow(TableId table, const Report& report, const std::function<void(const Cells&)>& visit) {
  constexpr std::array kVisitors = {
      visitProcesses,
      visitGroups,
      visitModules,
      visitCollectives,
      visitNotSeen,
      visitOperations,
      visitSteps,
      visitLast,
      visitNcclCalls};
  const Job& job = report.job;
  const Cells key = {job.run_id, job.attempt, orNull(job.rank), job.host, job.pid};
  kVisitors[static_cast<size_t>(table)](report, [&](Cells cells) {
    cells.insert(cells.begin(), key.begin(), key.end());
    visit(cells);
  });
}

std::string tablesPage() {
  std::string page(kIntroduction);
  addColumns(kProcessKey, page);
  for (const TableRow& table : kTables) {
    page += fmt::format("\n## `{}`\n\n{}\n\n", table.name, table.help);
    addColumns(table.columns, page);
  }
  return page;
}

} // namespace commtap
