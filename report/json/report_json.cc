// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/report_json.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "report/base/timestamp.h"
#include "report/json/cuda_graphs.h"
#include "report/json/fields.h"
#include "report/json/json_cursor.h"
#include "report/json/json_row.h"
#include "report/json/json_write.h"
#include "report/json/nccl_json.h"
#include "report/json/own_cost.h"
#include "report/json/time_json.h"

namespace commtap {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Cursor = JsonCursor;

ordered_json toJson(const Job& job) {
  return {
      {field::kRunId, job.run_id},
      {field::kRank, orNull(job.rank)},
      {field::kWorldSize, orNull(job.world_size)},
      {field::kLocalRank, orNull(job.local_rank)},
      {field::kAttempt, job.attempt},
      {field::kHost, job.host},
      {field::kPid, job.pid},
      {field::kArgv, job.argv},
      {field::kStartedAt, formatTimestamp(job.started_at_ns)},
      {field::kEndedAt, timeOrNull(job.ended_at_ns)},
      {field::kExit, exitKindName(job.exit)},
      {field::kExitSignal, orNull(job.exit_signal)},
      {field::kTorch, textOrNull(job.torch_version)},
      {field::kPython, textOrNull(job.python_version)},
      {field::kCommtap, job.commtap_version},
      {field::kTiming, timingText(job.timing)},
  };
}

ordered_json toJson(const Group& group) {
  return {
      {field::kName, group.name},
      {field::kDesc, group.desc},
      {field::kBackend, group.backend},
      {field::kSize, group.size},
      {field::kRanks, group.ranks.empty() ? ordered_json(nullptr) : ordered_json(group.ranks)},
      {field::kCollectives, group.collectives},
      {field::kPointToPoint, group.point_to_point},
  };
}

void append(std::string& text, const Parameter& parameter) {
  ordered_json mesh = ordered_json::parse(parameter.mesh, nullptr, /*allow_exceptions=*/false);
  const bool sharded = !parameter.mesh.empty();
  JsonRow row(text);
  row.addText(field::kName, parameter.name);
  row.addJson(field::kShape, parameter.shape);
  row.addJson(field::kLocalShape, parameter.local_shape);
  row.addText(field::kDtype, parameter.dtype);
  row.addBool(field::kRequiresGrad, parameter.requires_grad);
  row.addJson(field::kMesh, sharded && mesh.is_object() ? mesh : ordered_json(nullptr));
  row.addJson(field::kPlacements, sharded ? ordered_json(parameter.placements) : ordered_json(nullptr));
}

void append(std::string& text, const Module& module) {
  JsonRow row(text);
  row.addNumber(field::kId, module.id);
  if (module.parent) {
    row.addNumber(field::kParent, *module.parent);
  } else {
    row.addNull(field::kParent);
  }
  row.addText(field::kName, module.name);
  row.addText(field::kRawName, module.raw_name);
  row.addTextOrNull(field::kClass, module.class_name);
  {
    JsonRow calls = row.addObject(field::kCalls);
    for (int phase = 0; phase < kPhaseCount; ++phase) {
      if (module.calls[phase] > 0) {
        calls.addNumber(phaseName(static_cast<Phase>(phase)), module.calls[phase]);
      }
    }
  }
  row.addList(field::kParameters, module.parameters, [](std::string& document, const Parameter& parameter) {
    append(document, parameter);
  });
}

void appendSizes(JsonRow& row, const SizeHistogram& histogram) {
  JsonRow sizes = row.addObject(field::kSizes);
  for (const auto& [from, count] : histogram) {
    sizes.addNumber(std::to_string(from), count);
  }
}

void append(std::string& text, const Collective& collective) {
  JsonRow row(text);
  row.addText(field::kModule, collective.module);
  row.addText(field::kPhase, phaseName(collective.phase));
  row.addText(field::kOp, collective.op);
  row.addText(field::kKind, kindName(collective.kind));
  row.addText(field::kGroup, collective.group);
  row.addTextOrNull(field::kDtype, collective.dtype);
  row.addTextOrNull(field::kReduceOp, collective.reduce_op);
  if (collective.async_op == AsyncOp::kUnknown) {
    row.addNull(field::kAsync);
  } else {
    row.addBool(field::kAsync, collective.async_op == AsyncOp::kYes);
  }
  row.addText(field::kIssuedIn, collective.issued_in);
  row.addTexts(field::kLowered, collective.lowered);
  row.addNumber(field::kCount, collective.count);
  row.addNumber(field::kBytes, collective.bytes);
  row.addReal(field::kBusBytes, collective.bus_bytes);
  appendSizes(row, collective.sizes);
  if (collective.time.isKnown()) {
    row.addJson(field::kTime, timeJson(collective.time));
  }
}

ordered_json toJson(const StepAmount& amount, bool timed) {
  ordered_json object = {
      {field::kKind, kindName(amount.kind)},
      {field::kGroup, amount.group},
      {field::kCount, amount.count},
      {field::kBytes, amount.bytes},
  };
  if (timed) {
    object[field::kRunningNs] = amount.running_ns;
    object[field::kBlockedNs] = amount.blocked_ns;
  }
  return object;
}

ordered_json toJson(const Step& step, bool timed) {
  ordered_json amounts = ordered_json::array();
  for (const StepAmount& amount : step.collectives) {
    amounts.push_back(toJson(amount, timed));
  }
  return {
      {field::kFirstStep, step.first_step},
      {field::kSteps, step.steps},
      {field::kStartedAt, formatTimestamp(step.started_at_ns)},
      {field::kEndedAt, timeOrNull(step.ended_at_ns)},
      {field::kForwardPasses, step.forward_passes},
      {field::kBackwardPasses, step.backward_passes},
      {field::kCollectives, std::move(amounts)},
  };
}

void append(std::string& text, const LastCollective& last) {
  JsonRow row(text);
  row.addNumber(field::kNumber, last.number);
  row.addText(field::kGroup, last.group);
  row.addNumber(field::kSequence, last.sequence);
  row.addNumber(field::kStep, last.step);
  row.addText(field::kModule, last.module);
  row.addText(field::kIssuedIn, last.issued_in);
  row.addText(field::kPhase, phaseName(last.phase));
  row.addText(field::kOp, last.op);
  row.addText(field::kKind, kindName(last.kind));
  row.addTextOrNull(field::kDtype, last.dtype);
  row.addNumber(field::kBytes, last.bytes);
  row.addJson(field::kPeer, orNull(last.peer));
  row.addText(field::kState, lastStateName(last.state));
  row.addText(field::kIssuedAt, formatTimestamp(last.issued_at_ns));
  row.addJson(field::kStartedAt, timeOrNull(last.started_at_ns));
  row.addJson(field::kCompletedAt, timeOrNull(last.completed_at_ns));
}

void append(std::string& text, const Operation& operation) {
  JsonRow row(text);
  row.addText(field::kModule, operation.module);
  row.addText(field::kPhase, phaseName(operation.phase));
  row.addText(field::kOp, operation.op);
  row.addBool(field::kDtensor, operation.dtensor);
  row.addNumber(field::kCount, operation.count);
}

ordered_json toJson(const NotSeenEntry& entry) {
  return {
      {field::kReason, entry.reason},
      {field::kCount, entry.count},
      {field::kDetail, entry.detail},
      {field::kMeaning, entry.meaning},
  };
}

Job jobFrom(const Cursor& cursor) {
  Job job;
  job.run_id = cursor.text(field::kRunId);
  job.rank = cursor.optionalNumber<int64_t>(field::kRank);
  job.world_size = cursor.optionalNumber<int64_t>(field::kWorldSize);
  job.local_rank = cursor.optionalNumber<int64_t>(field::kLocalRank);
  job.attempt = cursor.optionalNumber<int64_t>(field::kAttempt).value_or(0);
  job.host = cursor.text(field::kHost);
  job.pid = cursor.number<uint64_t>(field::kPid);
  job.argv = cursor.at(field::kArgv).as<std::vector<std::string>>("a list of strings");
  job.started_at_ns = cursor.time(field::kStartedAt);
  job.ended_at_ns = cursor.optionalTime(field::kEndedAt);
  job.exit = cursor.name<ExitKind>(field::kExit, exitKindFromName);
  job.exit_signal = cursor.optionalNumber<int64_t>(field::kExitSignal);
  job.torch_version = cursor.textOrEmpty(field::kTorch);
  job.python_version = cursor.textOrEmpty(field::kPython);
  job.commtap_version = cursor.text(field::kCommtap);
  if (cursor.has(field::kTiming)) {
    job.timing = cursor.name<Timing>(field::kTiming, timingFromText);
  }
  return job;
}

Group groupFrom(const Cursor& cursor) {
  Group group;
  group.name = cursor.text(field::kName);
  group.desc = cursor.text(field::kDesc);
  group.backend = cursor.text(field::kBackend);
  group.size = cursor.number<uint32_t>(field::kSize);
  if (cursor.has(field::kRanks)) {
    group.ranks = cursor.integers<uint32_t>(field::kRanks);
  }
  group.collectives = cursor.optionalNumber<uint64_t>(field::kCollectives).value_or(0);
  group.point_to_point = cursor.optionalNumber<uint64_t>(field::kPointToPoint).value_or(0);
  return group;
}

Parameter parameterFrom(const Cursor& cursor) {
  Parameter parameter;
  parameter.name = cursor.text(field::kName);
  parameter.shape = cursor.integers<int64_t>(field::kShape);
  parameter.local_shape = cursor.integers<int64_t>(field::kLocalShape);
  parameter.dtype = cursor.text(field::kDtype);
  parameter.requires_grad = cursor.at(field::kRequiresGrad).as<bool>("true or false");
  if (cursor.has(field::kMesh)) {
    parameter.mesh = cursor.at(field::kMesh).value().dump();
    parameter.placements = cursor.at(field::kPlacements).as<std::vector<std::string>>("a list of strings");
  }
  return parameter;
}

Module moduleFrom(const Cursor& cursor) {
  Module module;
  module.id = cursor.number<uint32_t>(field::kId);
  module.parent = cursor.optionalNumber<uint32_t>(field::kParent);
  module.name = cursor.text(field::kName);
  module.raw_name = cursor.text(field::kRawName);
  module.class_name = cursor.textOrEmpty(field::kClass);
  const Cursor calls = cursor.at(field::kCalls);
  for (int phase = 0; phase < kPhaseCount; ++phase) {
    const std::string name(phaseName(static_cast<Phase>(phase)));
    module.calls[phase] = calls.optionalNumber<uint64_t>(name.c_str()).value_or(0);
  }
  module.parameters = cursor.list<Parameter>(field::kParameters, parameterFrom);
  return module;
}

Collective collectiveFrom(const Cursor& cursor) {
  Collective row;
  row.module = cursor.text(field::kModule);
  row.issued_in = cursor.text(field::kIssuedIn);
  row.phase = cursor.name<Phase>(field::kPhase, phaseFromName);
  row.op = cursor.text(field::kOp);
  row.kind = cursor.name<Kind>(field::kKind, kindFromName);
  row.group = cursor.text(field::kGroup);
  row.dtype = cursor.textOrEmpty(field::kDtype);
  row.reduce_op = cursor.textOrEmpty(field::kReduceOp);
  if (cursor.has(field::kAsync)) {
    row.async_op = cursor.at(field::kAsync).as<bool>("true or false") ? AsyncOp::kYes : AsyncOp::kNo;
  }
  row.lowered = cursor.at(field::kLowered).as<std::vector<std::string>>("a list of strings");
  row.count = cursor.number<uint64_t>(field::kCount);
  row.bytes = cursor.number<uint64_t>(field::kBytes);
  row.bus_bytes = cursor.at(field::kBusBytes).as<double>("a number");
  if (cursor.has(field::kSizes)) {
    row.sizes = histogramFrom(cursor.at(field::kSizes), "size");
  }
  if (cursor.has(field::kTime)) {
    row.time = timeFrom(cursor.at(field::kTime));
  }
  return row;
}

StepAmount stepAmountFrom(const Cursor& cursor) {
  return {
      cursor.name<Kind>(field::kKind, kindFromName),
      cursor.text(field::kGroup),
      cursor.number<uint64_t>(field::kCount),
      cursor.number<uint64_t>(field::kBytes),
      cursor.optionalNumber<uint64_t>(field::kRunningNs).value_or(0),
      cursor.optionalNumber<uint64_t>(field::kBlockedNs).value_or(0)};
}

Step stepFrom(const Cursor& cursor) {
  return {
      cursor.number<uint64_t>(field::kFirstStep),
      cursor.number<uint64_t>(field::kSteps),
      cursor.time(field::kStartedAt),
      cursor.optionalTime(field::kEndedAt),
      cursor.number<uint64_t>(field::kForwardPasses),
      cursor.number<uint64_t>(field::kBackwardPasses),
      cursor.list<StepAmount>(field::kCollectives, stepAmountFrom)};
}

LastCollective lastFrom(const Cursor& cursor) {
  LastCollective last;
  last.number = cursor.number<uint64_t>(field::kNumber);
  last.group = cursor.text(field::kGroup);
  last.sequence = cursor.number<uint64_t>(field::kSequence);
  last.step = cursor.number<uint64_t>(field::kStep);
  last.module = cursor.text(field::kModule);
  last.issued_in = cursor.text(field::kIssuedIn);
  last.phase = cursor.name<Phase>(field::kPhase, phaseFromName);
  last.op = cursor.text(field::kOp);
  last.kind = cursor.name<Kind>(field::kKind, kindFromName);
  last.dtype = cursor.textOrEmpty(field::kDtype);
  last.bytes = cursor.number<uint64_t>(field::kBytes);
  last.peer = cursor.optionalNumber<int64_t>(field::kPeer);
  last.state = cursor.name<LastState>(field::kState, lastStateFromName);
  last.issued_at_ns = cursor.time(field::kIssuedAt);
  last.started_at_ns = cursor.optionalTime(field::kStartedAt);
  last.completed_at_ns = cursor.optionalTime(field::kCompletedAt);
  return last;
}

Operation operationFrom(const Cursor& cursor) {
  return {
      cursor.text(field::kModule),
      cursor.name<Phase>(field::kPhase, phaseFromName),
      cursor.text(field::kOp),
      cursor.at(field::kDtensor).as<bool>("true or false"),
      cursor.number<uint64_t>(field::kCount)};
}

NotSeenEntry notSeenFrom(const Cursor& cursor) {
  return {
      cursor.text(field::kReason),
      cursor.number<uint64_t>(field::kCount),
      cursor.text(field::kDetail),
      cursor.text(field::kMeaning)};
}

std::string schemaError(const json& document) {
  if (!document.is_object() || !document.contains(field::kSchema) || !document[field::kSchema].is_string()) {
    return "not a commtap report: it has no field \"schema\"";
  }
  const auto schema = document[field::kSchema].get<std::string>();
  if (schema == kReportSchema) {
    return {};
  }
  if (schema.rfind("commtap/", 0) == 0) {
    return "a report of schema " + schema + ", this commtap reads " + std::string(kReportSchema) +
           ": use a newer commtap";
  }
  return "not a commtap report: its schema is \"" + schema.substr(0, 40) + "\"";
}

template <typename T>
Result<T> fromJson(std::string_view text, T (*read)(const Cursor&)) {
  try {
    const json document = json::parse(text);
    if (std::string error = schemaError(document); !error.empty()) {
      return Result<T>::failure(std::move(error));
    }
    return read(Cursor(document, "report"));
  } catch (const json::parse_error& error) {
    return Result<T>::failure("no JSON document (at byte " + std::to_string(error.byte) + ")");
  } catch (const std::exception& error) {
    return Result<T>::failure(error.what());
  }
}

/// Of a process that ended by itself a few are enough; of another one everything may matter.
constexpr size_t kLastOfNormalEnd = 100;

std::vector<LastCollective> lastToWrite(const Report& report) {
  const bool by_itself = report.job.exit == ExitKind::kNormal || report.job.exit == ExitKind::kUnderscoreExit;
  const bool few = by_itself && report.last.size() > kLastOfNormalEnd;
  return {report.last.end() - static_cast<ptrdiff_t>(few ? kLastOfNormalEnd : report.last.size()), report.last.end()};
}

} // namespace

void appendReport(std::string& text, const Report& report, const std::function<void(std::string&)>& take) {
  text += "{\n  \"" + std::string(field::kSchema) + "\": \"" + std::string(kReportSchema) + "\"";
  text += ",\n  \"" + std::string(field::kJob) + "\": " + jsonLine(toJson(report.job));
  appendTable(text, field::kGroups, report.groups, [](const auto& row) { return toJson(row); });
  const auto append_row = [&take](std::string& document, const auto& row) {
    append(document, row);
    if (document.size() >= kReportPiece) {
      take(document);
    }
  };
  appendRows(text, field::kModules, report.modules, append_row);
  appendRows(text, field::kCollectives, report.collectives, append_row);
  if (report.operations) {
    appendRows(text, field::kOperations, *report.operations, append_row);
  }
  const bool timed = report.job.timing.isOn();
  appendTable(text, field::kSteps, report.steps, [timed](const auto& row) { return toJson(row, timed); });
  appendRows(text, field::kLast, lastToWrite(report), append_row);
  if (report.nccl) {
    appendNccl(text, *report.nccl);
  }
  appendCudaGraphs(text, report.cuda_graphs);
  appendOwnCost(text, report.own_cost);
  appendTable(text, field::kNotSeen, report.not_seen, [](const auto& row) { return toJson(row); });
  text += "\n}\n";
}

std::string reportToJson(const Report& report) {
  constexpr size_t kRowBytes = 300; // about
  std::string text;
  text.reserve((report.modules.size() + report.collectives.size()) * kRowBytes);
  appendReport(text, report, [](std::string&) {});
  return text;
}

Result<Report> reportFromJson(std::string_view text) {
  return fromJson<Report>(text, [](const Cursor& root) {
    Report report;
    report.job = jobFrom(root.at(field::kJob));
    report.groups = root.list<Group>(field::kGroups, groupFrom);
    report.modules = root.list<Module>(field::kModules, moduleFrom);
    report.collectives = root.list<Collective>(field::kCollectives, collectiveFrom);
    if (root.has(field::kOperations)) {
      report.operations = root.list<Operation>(field::kOperations, operationFrom);
    }
    if (root.has(field::kSteps)) {
      report.steps = root.list<Step>(field::kSteps, stepFrom);
    }
    if (root.has(field::kLast)) {
      report.last = root.list<LastCollective>(field::kLast, lastFrom);
    }
    if (root.has(field::kNccl)) {
      report.nccl = ncclFrom(root.at(field::kNccl));
    }
    if (root.has(field::kCudaGraphs)) {
      report.cuda_graphs = root.list<CudaGraph>(field::kCudaGraphs, cudaGraphFrom);
    }
    if (root.has(field::kOwnCost)) {
      report.own_cost = ownCostFrom(root.at(field::kOwnCost));
    }
    report.not_seen = root.list<NotSeenEntry>(field::kNotSeen, notSeenFrom);
    return report;
  });
}

Result<Job> jobFromJson(std::string_view text) {
  return fromJson<Job>(text, [](const Cursor& root) { return jobFrom(root.at(field::kJob)); });
}

} // namespace commtap
