// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/sweep/sweep.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include <nlohmann/json.hpp>

#include "report/json/fields.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

void addTo(LayoutPart& part, const Messages& messages) {
  part.nodes = std::max(part.nodes, messages.nodes);
  part.calls += messages.calls;
  part.bytes += messages.bytes;
  part.bytes_across += messages.bytes_across;
  if (messages.largest > 0) {
    part.smallest = part.largest == 0 ? messages.smallest : std::min(part.smallest, messages.smallest);
    part.largest = std::max(part.largest, messages.largest);
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

ordered_json partJson(const LayoutPart& part) {
  return {
      {field::kGroup, part.group},
      {field::kSize, part.size},
      {"nodes", part.nodes},
      {"calls", part.calls},
      {field::kBytes, part.bytes},
      {"bytes_across_nodes", part.bytes_across},
      {"smallest", part.smallest},
      {"largest", part.largest},
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

void addMessages(const std::vector<Messages>& messages, SweptLayout& layout) {
  for (const Messages& each : messages) {
    addTo(layout.all, each);
    addTo(partOf(each, layout.groups), each);
  }
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
