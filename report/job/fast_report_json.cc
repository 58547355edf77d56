// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/fast_report_json.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "report/base/text_file.h"
#include "report/base/timestamp.h"
#include "report/job/fast_json.h"
#include "report/job/fast_nccl_json.h"
#include "report/job/job_order.h"
#include "report/json/fields.h"
#include "report/json/own_cost.h"
#include "report/json/report_json.h"

namespace commtap {
namespace {

namespace dom = fast_json::dom;
using fast_json::integer;
using fast_json::integerOrNone;
using fast_json::list;
using fast_json::NotSure;
using fast_json::sure;
using fast_json::text;
using fast_json::textOrEmpty;

/// 0 where an older report does not have it.
uint64_t optionalInteger(dom::object row, const char* name) {
  dom::element value;
  return row[name].get(value) == simdjson::SUCCESS ? integer<uint64_t>(value) : 0;
}

Group groupFrom(dom::object row) {
  Group group;
  group.name = text(row[field::kName]);
  group.desc = text(row[field::kDesc]);
  group.backend = text(row[field::kBackend]);
  group.size = integer<uint32_t>(row[field::kSize]);
  const dom::element ranks = row[field::kRanks];
  if (!ranks.is_null()) {
    const dom::array list = ranks.get_array();
    group.ranks.reserve(list.size());
    for (const dom::element rank : list) {
      group.ranks.push_back(integer<uint32_t>(rank));
    }
  }
  group.collectives = optionalInteger(row, field::kCollectives);
  group.point_to_point = optionalInteger(row, field::kPointToPoint);
  return group;
}

Module moduleFrom(dom::object row) {
  Module module;
  module.id = integer<uint32_t>(row[field::kId]);
  module.parent = integerOrNone<uint32_t>(row[field::kParent]);
  module.name = text(row[field::kName]);
  module.raw_name = text(row[field::kRawName]);
  module.class_name = textOrEmpty(row[field::kClass]);
  for (const dom::key_value_pair calls : row[field::kCalls].get_object()) {
    const Phase phase = sure(phaseFromName(calls.key));
    module.calls[static_cast<size_t>(phase)] = integer<uint64_t>(calls.value);
  }
  return module;
}

/// Sizes or durations by powers of two.
std::map<uint64_t, uint64_t> histogramFrom(dom::object object) {
  std::map<uint64_t, uint64_t> histogram;
  for (const dom::key_value_pair entry : object) {
    histogram[std::stoull(std::string(entry.key))] = integer<uint64_t>(entry.value);
  }
  return histogram;
}

CollectiveTime timeFrom(dom::object object) {
  CollectiveTime time;
  for (int i = 0; i < kDurationKindCount; ++i) {
    dom::object durations;
    if (object[durationName(static_cast<DurationKind>(i))].get(durations) == simdjson::SUCCESS) {
      time.durations[i] = {
          integer<uint64_t>(durations[field::kCount]),
          integer<uint64_t>(durations[field::kSum]),
          integer<uint64_t>(durations[field::kMin]),
          integer<uint64_t>(durations[field::kMax]),
          histogramFrom(durations[field::kHistogram])};
    }
  }
  if (dom::element bytes; object[field::kTimedBytes].get(bytes) == simdjson::SUCCESS) {
    time.bytes = integer<uint64_t>(bytes);
    time.bus_bytes = object[field::kTimedBusBytes].get_double();
  }
  return time;
}

Collective collectiveFrom(dom::object row) {
  Collective collective;
  collective.module = text(row[field::kModule]);
  collective.phase = sure(phaseFromName(row[field::kPhase].get_string()));
  collective.op = text(row[field::kOp]);
  collective.kind = sure(kindFromName(row[field::kKind].get_string()));
  collective.group = text(row[field::kGroup]);
  collective.dtype = textOrEmpty(row[field::kDtype]);
  collective.reduce_op = textOrEmpty(row[field::kReduceOp]);
  const dom::element async_op = row[field::kAsync];
  if (!async_op.is_null()) {
    collective.async_op = async_op.get_bool() ? AsyncOp::kYes : AsyncOp::kNo;
  }
  collective.issued_in = text(row[field::kIssuedIn]);
  for (const dom::element op : row[field::kLowered].get_array()) {
    collective.lowered.push_back(text(op));
  }
  collective.count = integer<uint64_t>(row[field::kCount]);
  collective.bytes = integer<uint64_t>(row[field::kBytes]);
  collective.bus_bytes = row[field::kBusBytes].get_double();
  if (dom::object sizes; row[field::kSizes].get(sizes) == simdjson::SUCCESS) {
    collective.sizes = histogramFrom(sizes);
  }
  if (dom::object time; row[field::kTime].get(time) == simdjson::SUCCESS) {
    collective.time = timeFrom(time);
  }
  return collective;
}

Step stepFrom(dom::object row) {
  Step step;
  step.first_step = integer<uint64_t>(row[field::kFirstStep]);
  step.steps = integer<uint64_t>(row[field::kSteps]);
  step.started_at_ns = sure(parseTimestamp(text(row[field::kStartedAt])));
  if (const dom::element ended = row[field::kEndedAt]; !ended.is_null()) {
    step.ended_at_ns = sure(parseTimestamp(text(ended)));
  }
  step.forward_passes = integer<uint64_t>(row[field::kForwardPasses]);
  step.backward_passes = integer<uint64_t>(row[field::kBackwardPasses]);
  for (const dom::object amount : row[field::kCollectives].get_array()) {
    step.collectives.push_back(
        {sure(kindFromName(amount[field::kKind].get_string())),
         text(amount[field::kGroup]),
         integer<uint64_t>(amount[field::kCount]),
         integer<uint64_t>(amount[field::kBytes]),
         optionalInteger(amount, field::kRunningNs),
         optionalInteger(amount, field::kBlockedNs)});
  }
  return step;
}

Operation operationFrom(dom::object row) {
  return {
      text(row[field::kModule]),
      sure(phaseFromName(row[field::kPhase].get_string())),
      text(row[field::kOp]),
      row[field::kDtensor].get_bool(),
      integer<uint64_t>(row[field::kCount])};
}

/// What is compared between ranks.
LastCollective lastFrom(dom::object row) {
  LastCollective last;
  last.group = text(row[field::kGroup]);
  last.sequence = integer<uint64_t>(row[field::kSequence]);
  last.module = text(row[field::kModule]);
  last.op = text(row[field::kOp]);
  last.kind = sure(kindFromName(row[field::kKind].get_string()));
  last.dtype = textOrEmpty(row[field::kDtype]);
  last.bytes = integer<uint64_t>(row[field::kBytes]);
  return last;
}

std::vector<LastCollective> lastOnes(dom::array rows) {
  std::vector<LastCollective> last;
  const size_t skipped = rows.size() > kMostCompared ? rows.size() - kMostCompared : 0;
  size_t place = 0;
  for (const dom::element row : rows) {
    if (place++ >= skipped) {
      last.push_back(lastFrom(row.get_object()));
    }
  }
  return last;
}

NotSeenEntry notSeenFrom(dom::object row) {
  return {
      text(row[field::kReason]),
      integer<uint64_t>(row[field::kCount]),
      text(row[field::kDetail]),
      text(row[field::kMeaning])};
}

OwnCost ownCostFrom(dom::object object) {
  OwnCost cost;
  for (const OwnCostField& field : kOwnCostFields) {
    cost.*field.value = integer<uint64_t>(object[field.name]);
  }
  return cost;
}

Job jobFrom(dom::element raw) {
  const std::string document = std::string("{\"") + field::kSchema + "\":\"" + std::string(kReportSchema) + "\",\"" +
                               field::kJob + "\":" + simdjson::minify(raw) + "}";
  Result<Job> job = jobFromJson(document);
  return job ? std::move(*job) : throw NotSure(job.error());
}

Report reportFrom(dom::element document) {
  const dom::object root = document.get_object();
  if (std::string_view(root[field::kSchema].get_string()) != kReportSchema) {
    throw NotSure("another schema");
  }
  Report report;
  report.job = jobFrom(root[field::kJob]);
  report.groups = list<Group>(root[field::kGroups], groupFrom);
  report.modules = list<Module>(root[field::kModules], moduleFrom);
  report.collectives = list<Collective>(root[field::kCollectives], collectiveFrom);
  if (dom::element rows; root[field::kOperations].get(rows) == simdjson::SUCCESS) {
    report.operations = list<Operation>(rows, operationFrom);
  }
  if (dom::element rows; root[field::kSteps].get(rows) == simdjson::SUCCESS) {
    report.steps = list<Step>(rows, stepFrom);
  }
  if (dom::array rows; root[field::kLast].get(rows) == simdjson::SUCCESS) {
    report.last = lastOnes(rows);
  }
  if (dom::element nccl; root[field::kNccl].get(nccl) == simdjson::SUCCESS) {
    report.nccl = fastNcclFrom(nccl.get_object());
  }
  if (dom::element cost; root[field::kOwnCost].get(cost) == simdjson::SUCCESS) {
    report.own_cost = ownCostFrom(cost.get_object());
  }
  report.not_seen = list<NotSeenEntry>(root[field::kNotSeen], notSeenFrom);
  return report;
}

} // namespace

struct FastReportReader::State {
  dom::parser parser;
};

FastReportReader::FastReportReader() : state_(std::make_unique<State>()) {}
FastReportReader::FastReportReader(FastReportReader&&) noexcept = default;
FastReportReader& FastReportReader::operator=(FastReportReader&&) noexcept = default;
FastReportReader::~FastReportReader() = default;

Result<Report> FastReportReader::read(const std::string& path) {
  Result<std::string> text = readTextFile(path);
  if (!text) {
    return Result<Report>::failure(text.error());
  }
  try {
    text->reserve(text->size() + simdjson::SIMDJSON_PADDING); // it reads beyond the end
    return reportFrom(state_->parser.parse(*text));
  } catch (const std::exception&) {
    Result<Report> report = reportFromJson(*text);
    return report ? report : Result<Report>::failure(path + ": " + report.error());
  }
}

} // namespace commtap
