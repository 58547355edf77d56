// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/host_document.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/base/json_text.h"
#include "report/base/result.h"
#include "report/json/report_json.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "commtap.host/1";

/// The names of the document's fields and of a question's parameters.
namespace name {
constexpr const char* kSchema = "schema";
constexpr const char* kHost = "host";
constexpr const char* kAt = "at_ns";
constexpr const char* kProblems = "problems";
constexpr const char* kTraffic = "traffic";
constexpr const char* kState = "state";
constexpr const char* kTicks = "cpu_ticks";
constexpr const char* kChildTicks = "child_ticks";
constexpr const char* kChildRuns = "child_runs";
constexpr const char* kProgress = "progress";
constexpr const char* kLast = "last";
constexpr const char* kRows = "rows";
} // namespace name

struct TableName {
  const char* name;
  TrafficTable Traffic::*table;
};
constexpr std::array<TableName, 3> kTables = {{
    {"kind", &Traffic::by_kind},
    {"group", &Traffic::by_group},
    {"module", &Traffic::by_module},
}};

std::string lineOf(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

json trafficJson(const Traffic& traffic) {
  json tables = json::object();
  for (const TableName& each : kTables) {
    json& rows = tables[each.name] = json::array();
    for (const auto& [name, sums] : traffic.*each.table) {
      rows.push_back(
          {name.first,
           name.second,
           sums.count,
           sums.bytes,
           sums.running_ns,
           sums.running_bus_bytes,
           sums.exposed_ns,
           sums.timed});
    }
  }
  return tables;
}

/// Throws if the JSON is not what trafficJson() makes.
Traffic trafficFrom(const json& tables) {
  Traffic traffic;
  for (const TableName& each : kTables) {
    for (const json& row : tables.at(each.name)) {
      TrafficSums sums;
      size_t column = 0;
      const auto next = [&row, &column]() -> const json& { return row.at(column++); };
      std::string run = next();
      std::string name = next();
      sums.count = next();
      sums.bytes = next();
      sums.running_ns = next();
      sums.running_bus_bytes = next();
      sums.exposed_ns = next();
      sums.timed = next();
      (traffic.*each.table).emplace(TrafficName(std::move(run), std::move(name)), sums);
    }
  }
  return traffic;
}

json stateJson(const SeenProcess& process) {
  json state = {{name::kProgress, process.progress}};
  if (process.sample) {
    state[name::kState] = std::string(1, process.sample->state);
    state[name::kTicks] = process.sample->cpu_ticks;
    state[name::kChildTicks] = process.sample->child_ticks;
    state[name::kChildRuns] = process.sample->child_runs;
  }
  return state;
}

std::string reportLine(const Report& report) {
  std::string text = reportToJson(report);
  std::replace(text.begin(), text.end(), '\n', ' '); // a line break within a name is escaped
  return text + "\n";
}

/// Takes the first line of `text` from it.
std::string_view nextLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

SeenProcess processFrom(const json& state, Report report) {
  SeenProcess process;
  process.report = std::make_shared<const Report>(std::move(report));
  process.progress = state.at(name::kProgress);
  if (state.contains(name::kState)) {
    const std::string letter = state.at(name::kState);
    process.sample = ProcessSample{
        letter.empty() ? '?' : letter.front(),
        state.at(name::kTicks),
        state.value(name::kChildTicks, uint64_t{0}),
        state.value(name::kChildRuns, false)};
  }
  return process;
}

/// Throws if it is no list of texts. A host cannot make the asker print without end.
std::vector<std::string> problemsFrom(const json& list) {
  constexpr size_t kMost = 100;
  std::vector<std::string> problems;
  for (size_t i = 0; i < std::min(list.size(), kMost); ++i) {
    problems.push_back(list.at(i));
  }
  if (list.size() > kMost) {
    problems.push_back(fmt::format("and {} more problems", list.size() - kMost));
  }
  return problems;
}

Result<HostDocument> documentFrom(std::string_view text, FastReportReader& reader) {
  const json head = json::parse(nextLine(text), nullptr, /*allow_exceptions=*/false);
  if (!head.is_object() || head.value(name::kSchema, "") != kSchema) {
    return Result<HostDocument>::failure(
        fmt::format("its answer is no {}: is it another version of commtap?", kSchema));
  }
  HostDocument document;
  document.host = head.at(name::kHost);
  document.look.at_ns = head.at(name::kAt);
  document.look.problems = problemsFrom(head.at(name::kProblems));
  if (head.contains(name::kTraffic)) {
    document.traffic = trafficFrom(head.at(name::kTraffic));
  }
  while (!text.empty()) {
    const json state = json::parse(nextLine(text));
    Result<Report> report = reader.readText("a report", std::string(nextLine(text)), ReportDepth::kAll);
    if (!report) {
      return Result<HostDocument>::failure(report.error());
    }
    document.look.processes.push_back(processFrom(state, std::move(*report)));
  }
  return document;
}

std::vector<int64_t> numbersFrom(std::string_view text) {
  std::vector<int64_t> numbers;
  while (!text.empty() && numbers.size() < HostQuestion::kMostRows) {
    const size_t comma = std::min(text.find(','), text.size());
    if (const std::optional<int64_t> number = wholeNumber(text.substr(0, comma))) {
      numbers.push_back(*number);
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return numbers;
}

} // namespace

std::string addressOf(const HostQuestion& question) {
  std::string address = fmt::format("{}?{}={}", kHostPath, name::kLast, question.last);
  if (question.traffic) {
    address += fmt::format("&{}=1", name::kTraffic);
  }
  if (!question.rows_of.empty()) {
    address += fmt::format("&{}={}", name::kRows, fmt::join(question.rows_of, ","));
  }
  return address;
}

HostQuestion questionFrom(const std::map<std::string, std::string>& parameters) {
  HostQuestion question;
  const auto value = [&parameters](const char* name) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  };
  if (const std::optional<int64_t> last = wholeNumber(value(name::kLast))) {
    question.last = std::min(static_cast<size_t>(*last), HostQuestion::kMostLast);
  }
  question.traffic = value(name::kTraffic) == "1";
  question.rows_of = numbersFrom(value(name::kRows));
  return question;
}

Report slimReport(const Report& report, const HostQuestion& question) {
  Report slim;
  slim.job = report.job;
  slim.job.argv.clear();
  slim.groups = report.groups;
  if (!report.modules.empty()) {
    slim.modules.push_back(report.modules.front()); // every report has the module Global
    slim.modules.front().parameters.clear();
  }
  const size_t skipped = report.last.size() - std::min(report.last.size(), question.last);
  slim.last.assign(report.last.begin() + static_cast<std::ptrdiff_t>(skipped), report.last.end());
  if (!report.steps.empty()) {
    slim.steps.push_back(report.steps.back());
    slim.steps.front().collectives.clear();
  }
  const std::vector<int64_t>& wanted = question.rows_of;
  if (report.job.rank && std::find(wanted.begin(), wanted.end(), *report.job.rank) != wanted.end()) {
    slim.collectives = report.collectives;
  }
  return slim;
}

std::string hostText(const HostDocument& document, const HostQuestion& question) {
  json head = {
      {name::kSchema, kSchema},
      {name::kHost, document.host},
      {name::kAt, document.look.at_ns},
      {name::kProblems, document.look.problems}};
  if (question.traffic) {
    head[name::kTraffic] = trafficJson(document.traffic);
  }
  std::string text = lineOf(head);
  for (const SeenProcess& process : document.look.processes) {
    text += lineOf(stateJson(process)) + reportLine(slimReport(*process.report, question));
  }
  return text;
}

Result<HostDocument> hostDocumentFrom(std::string_view text, FastReportReader& reader) {
  constexpr uint64_t kMaxMemory = uint64_t{512} << 20U;
  constexpr uint64_t kLarge = uint64_t{16} << 20U;
  static std::mutex large_answers; // one at a time
  const uint64_t memory = jsonMemory(text);
  if (memory > kMaxMemory) {
    return Result<HostDocument>::failure(
        fmt::format("its answer would take more than {} MiB to be read", kMaxMemory >> 20U));
  }
  std::unique_lock<std::mutex> turn(large_answers, std::defer_lock);
  if (memory > kLarge) {
    turn.lock();
  }
  return catchErrors<HostDocument>("its answer", [&] { return documentFrom(text, reader); });
}

} // namespace commtap
