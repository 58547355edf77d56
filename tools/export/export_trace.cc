// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/model/amounts.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

constexpr int kStepThread = 0; ///< the threads of the groups have higher numbers

std::string ranksText(const Group& group) {
  return fmt::format("[{}]", fmt::join(group.ranks, ", "));
}

/// The trace events of one process.
class ProcessTrace {
 public:
  ProcessTrace(const Report& report, uint64_t base_ns, ordered_json& events)
      : report_(report), base_ns_(base_ns), events_(events) {}

  void write() {
    const Job& job = report_.job;
    const std::string name = job.rank ? fmt::format("rank {}", *job.rank) : fmt::format("pid {}", job.pid);
    addName("process_name", kStepThread, name);
    events_.back()["args"]["labels"] = job.host;
    events_.push_back(event("process_sort_index", "M", kStepThread));
    events_.back()["args"] = {{"sort_index", job.rank.value_or(-1)}};
    addName("thread_name", kStepThread, "steps");
    for (size_t i = 0; i < report_.groups.size(); ++i) {
      addName("thread_name", threadOf(i), groupTitle(report_.groups[i]));
    }
    for (const Step& step : report_.steps) {
      add(step);
    }
    for (const LastCollective& last : report_.last) {
      add(last);
    }
  }

 private:
  static int threadOf(size_t group) {
    return static_cast<int>(group) + 1;
  }

  int64_t process() const {
    return report_.job.rank.value_or(static_cast<int64_t>(report_.job.pid));
  }

  double microseconds(uint64_t at_ns) const {
    return static_cast<double>(at_ns - std::min(at_ns, base_ns_)) / 1e3;
  }

  ordered_json event(const std::string& name, const char* phase, int thread) const {
    return {{"ph", phase}, {"name", name}, {"pid", process()}, {"tid", thread}};
  }

  void addName(const char* what, int thread, const std::string& name) {
    events_.push_back(event(what, "M", thread));
    events_.back()["args"] = {{"name", name}};
  }

  void addSpan(ordered_json span, uint64_t from_ns, uint64_t to_ns) {
    span["ts"] = microseconds(from_ns);
    span["dur"] = microseconds(to_ns) - microseconds(from_ns);
    events_.push_back(std::move(span));
  }

  void add(const Step& step) {
    if (!step.ended_at_ns) {
      return;
    }
    // Readers of profiler traces recognize steps by this name.
    const std::string name = step.steps == 1 ? fmt::format("ProfilerStep#{}", step.first_step)
                                             : "steps " + stepRange(step.first_step, step.steps);
    ordered_json span = event(name, "X", kStepThread);
    span["cat"] = "user_annotation";
    const StepAmount sum = sumOf(step);
    span["args"] = {{"collectives", sum.count}, {"bytes", sum.bytes}};
    if (report_.job.timing.every == 1) { // of a sample, a step without times would seem to have none exposed
      span["args"]["exposed_us"] = static_cast<double>(sum.exposed_ns) / 1e3;
    }
    addSpan(std::move(span), step.started_at_ns, *step.ended_at_ns);
  }

  void add(const LastCollective& last) {
    const Group* group = groupNamed(report_, last.group);
    const size_t nth = group == nullptr ? report_.groups.size() : static_cast<size_t>(group - report_.groups.data());
    const int thread = threadOf(nth);
    const bool ran = last.started_at_ns && last.completed_at_ns;
    ordered_json made = event(std::string(kindName(last.kind)), ran ? "X" : "i", thread);
    made["cat"] = "collective";
    made["args"] = argumentsOf(last, group);
    if (ran) {
      addSpan(std::move(made), *last.started_at_ns, *last.completed_at_ns);
    } else {
      made["ts"] = microseconds(last.issued_at_ns);
      made["s"] = "t"; // draws the instant event over its thread only
      events_.push_back(std::move(made));
    }
  }

  ordered_json argumentsOf(const LastCollective& last, const Group* group) const {
    ordered_json arguments = {
        {"Collective name", last.op},
        {"dtype", last.dtype},
        {"Seq", last.sequence},
        {"bytes", last.bytes},
        {"module", last.module},
        {"issued_in", last.issued_in},
        {"phase", phaseName(last.phase)},
        {"step", last.step},
        {"state", lastStateName(last.state)}};
    if (report_.job.rank) {
      arguments["Rank"] = *report_.job.rank;
    }
    if (group != nullptr) {
      arguments["Process Group Name"] = group->name;
      arguments["Process Group Description"] = group->desc;
      arguments["Process Group Ranks"] = ranksText(*group);
      arguments["Group size"] = group->size;
    }
    if (last.peer) {
      arguments[last.kind == Kind::kSend ? "Dst Rank" : "Src Rank"] = *last.peer;
    }
    if (last.started_at_ns) {
      arguments["queued_us"] = microseconds(*last.started_at_ns) - microseconds(last.issued_at_ns);
    }
    return arguments;
  }

  const Report& report_;
  uint64_t base_ns_;
  ordered_json& events_;
};

ordered_json distributedInfo(const Report& report) {
  ordered_json groups = ordered_json::array();
  for (const Group& group : report.groups) {
    groups.push_back(
        {{"pg_name", group.name},
         {"pg_desc", group.desc},
         {"backend_config", group.backend},
         {"pg_size", group.size},
         {"ranks", group.ranks}});
  }
  const Job& job = report.job;
  return {
      {"backend", report.groups.empty() ? "" : report.groups.front().backend},
      {"rank", job.rank.value_or(0)},
      {"world_size", job.world_size.value_or(1)},
      {"pg_count", report.groups.size()},
      {"pg_config", std::move(groups)}};
}

std::string textOfJson(const ordered_json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace);
}

} // namespace

ChromeTrace::ChromeTrace(std::span<const FoundReport> processes) : is_alone_(processes.size() == 1) {
  base_ns_ = processes.empty() ? 0 : processes.front().job.started_at_ns;
  for (const FoundReport& process : processes) {
    base_ns_ = std::min(base_ns_, process.job.started_at_ns);
  }
}

std::string ChromeTrace::textOf(const Report& report) {
  ordered_json events = ordered_json::array();
  ProcessTrace(report, base_ns_, events).write();
  const std::string list = textOfJson(events);
  const std::string before = has_begun_ ? "," : beginning(is_alone_ ? &report : nullptr);
  has_begun_ = true;
  return before + list.substr(1, list.size() - 2); // without its brackets
}

std::string ChromeTrace::end() const {
  return (has_begun_ ? "" : beginning(nullptr)) + "]}\n";
}

std::string ChromeTrace::beginning(const Report* only) const {
  ordered_json trace = {{"schemaVersion", 1}, {"displayTimeUnit", "ms"}, {"baseTimeNanoseconds", base_ns_}};
  if (only != nullptr) {
    trace["distributedInfo"] = distributedInfo(*only);
    trace["host_name"] = only->job.host;
  }
  std::string text = textOfJson(trace);
  text.pop_back(); // the brace
  return text + ",\"traceEvents\":[";
}

} // namespace commtap
