// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/sweep.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "report/json/fields.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

void addTo(LayoutPart& part, const Messages& messages, const std::optional<TimeRange>& time) {
  const bool is_first = part.calls == 0;
  part.nodes = std::max(part.nodes, messages.nodes);
  part.calls += messages.calls;
  part.bytes += messages.bytes;
  part.bytes_across += messages.bytes_across;
  if (messages.largest > 0) {
    part.smallest = part.largest == 0 ? messages.smallest : std::min(part.smallest, messages.smallest);
    part.largest = std::max(part.largest, messages.largest);
  }
  if (is_first) {
    part.time = time;
  } else if (part.time && time) {
    part.time->low_ns += time->low_ns;
    part.time->high_ns += time->high_ns;
  } else {
    part.time.reset();
  }
}

LayoutPart& partOf(const Messages& messages, std::vector<LayoutPart>& parts) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&messages](const LayoutPart& part) {
    return part.group == messages.group && part.size == messages.group_size;
  });
  if (found != parts.end()) {
    return *found;
  }
  parts.emplace_back();
  parts.back().group = messages.group;
  parts.back().size = messages.group_size;
  return parts.back();
}

/// Returns the time of all calls. A recv takes the time of its send, and a barrier moves nothing: both add none.
std::optional<TimeRange> timeOf(const Messages& messages, const Fabric& fabric, std::set<std::string>& refused) {
  if (fabric.empty()) {
    return std::nullopt;
  }
  if (messages.kind == Kind::kRecv || messages.kind == Kind::kBarrier || messages.group_size == 1) {
    return TimeRange();
  }
  const Prediction prediction = fabric.predict(messages);
  if (!prediction.isKnown()) {
    refused.insert(prediction.refused);
    return std::nullopt;
  }
  return TimeRange{messages.calls * prediction.low_ns, messages.calls * prediction.high_ns};
}

ordered_json partJson(const LayoutPart& part) {
  ordered_json time;
  if (part.time) {
    time = {part.time->low_ns, part.time->high_ns};
  }
  return {
      {field::kGroup, part.group},
      {field::kSize, part.size},
      {"nodes", part.nodes},
      {"calls", part.calls},
      {field::kBytes, part.bytes},
      {"bytes_across_nodes", part.bytes_across},
      {"smallest", part.smallest},
      {"largest", part.largest},
      {"time_ns", time},
  };
}

ordered_json layoutJson(const SweptLayout& layout) {
  ordered_json values = ordered_json::object();
  for (const auto& [name, value] : layout.values) {
    values[name] = value;
  }
  ordered_json groups = ordered_json::array();
  for (const LayoutPart& part : layout.groups) {
    groups.push_back(partJson(part));
  }
  return {
      {field::kName, layout.name()},
      {"values", values},
      {"folder", layout.folder},
      {"failure", layout.failure},
      {"all", partJson(layout.all)},
      {field::kGroups, groups},
      {"refused", layout.refused},
  };
}

} // namespace

std::string SweptLayout::name() const {
  std::string text;
  for (const auto& [name, value] : values) {
    text += text.empty() ? "" : " ";
    text.append(name).append("=").append(value);
  }
  return text;
}

void addMessages(const std::vector<Messages>& messages, const Fabric& fabric, SweptLayout& layout) {
  std::set<std::string> refused;
  for (const Messages& each : messages) {
    const std::optional<TimeRange> time = timeOf(each, fabric, refused);
    addTo(layout.all, each, time);
    addTo(partOf(each, layout.groups), each, time);
  }
  layout.refused.assign(refused.begin(), refused.end());
  std::stable_sort(layout.groups.begin(), layout.groups.end(), [](const LayoutPart& a, const LayoutPart& b) {
    return a.bytes > b.bytes;
  });
}

void sortLayouts(std::vector<SweptLayout>& layouts) {
  const auto key = [](const SweptLayout& layout) {
    return std::tuple(!layout.failure.empty(), layout.all.bytes_across, layout.all.bytes);
  };
  std::stable_sort(
      layouts.begin(), layouts.end(), [&key](const SweptLayout& a, const SweptLayout& b) { return key(a) < key(b); });
}

std::string sweepToJson(const Sweep& sweep) {
  ordered_json layouts = ordered_json::array();
  for (const SweptLayout& layout : sweep.layouts) {
    layouts.push_back(layoutJson(layout));
  }
  const ordered_json document = {
      {field::kSchema, kSweepSchema},
      {field::kPlanned, true},
      {"command", sweep.command},
      {field::kWorldSize, sweep.world_size},
      {"ranks_per_node", sweep.per_node},
      {"fabric", sweep.fabric},
      {"layouts", layouts},
  };
  return document.dump(1, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace) + "\n";
}

std::string sweepIn(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::path(path).filename() == kSweepFile && fs::is_regular_file(path, error)) {
    return path;
  }
  const fs::path file = fs::path(path) / kSweepFile;
  return fs::is_regular_file(file, error) ? file.string() : "";
}

} // namespace commtap
