// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/sweep_values.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using Layouts = Result<std::vector<LayoutValues>>;

constexpr size_t kMostLayouts = 1000;

std::string placeholder(std::string_view name) {
  return fmt::format("{{{}}}", name);
}

std::vector<std::string> splitValues(const std::string& text) {
  std::vector<std::string> values;
  for (size_t from = 0; from <= text.size();) {
    const size_t comma = std::min(text.find(',', from), text.size());
    values.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return values;
}

/// Combines each layout with each value of one more name.
std::vector<LayoutValues>
combined(const std::vector<LayoutValues>& layouts, const std::string& name, const std::vector<std::string>& values) {
  std::vector<LayoutValues> all;
  for (const LayoutValues& layout : layouts) {
    for (const std::string& value : values) {
      all.push_back(layout);
      all.back().emplace_back(name, value);
    }
  }
  return all;
}

void replaceAll(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

} // namespace

Layouts layoutsOf(const std::vector<std::string>& sweeps, const std::vector<std::string>& command) {
  std::vector<LayoutValues> layouts = {{}};
  for (const std::string& sweep : sweeps) {
    const size_t equals = sweep.find('=');
    const std::string name = sweep.substr(0, equals);
    const std::vector<std::string> values =
        equals == std::string::npos ? std::vector<std::string>{""} : splitValues(sweep.substr(equals + 1));
    if (name.empty() || std::find(values.begin(), values.end(), "") != values.end()) {
      return Layouts::failure(fmt::format("--sweep is \"{}\": it must be a name and its values: tp=1,2,4", sweep));
    }
    const bool is_used = std::any_of(command.begin(), command.end(), [&name](const std::string& word) {
      return word.find(placeholder(name)) != std::string::npos;
    });
    if (!is_used) {
      return Layouts::failure(fmt::format("--sweep {}: the command has no {}", sweep, placeholder(name)));
    }
    layouts = combined(layouts, name, values);
    if (layouts.size() > kMostLayouts) {
      return Layouts::failure(fmt::format("the sweeps have more than {} layouts", kMostLayouts));
    }
  }
  return layouts;
}

std::vector<std::string> layoutCommand(const LayoutValues& values, std::vector<std::string> command) {
  for (std::string& word : command) {
    for (const auto& [name, value] : values) {
      replaceAll(word, placeholder(name), value);
    }
  }
  return command;
}

std::string layoutFolder(const LayoutValues& values) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+="; // a comma parts values
  std::string folder;
  for (const auto& [name, value] : values) {
    std::string part = name;
    part.append("=").append(value);
    std::replace_if(
        part.begin(), part.end(), [&](char c) { return kPlain.find(c) == std::string_view::npos; }, '_');
    folder += (folder.empty() ? "" : ",") + part;
  }
  return folder;
}

namespace {

void addPart(Table& table, const std::string& layout, const LayoutPart& part) {
  const bool is_all = part.size == 0;
  table.add(
      {layout,
       is_all ? "all" : part.group,
       is_all ? "" : std::to_string(part.size),
       std::to_string(part.nodes),
       countText(part.calls),
       humanBytes(part.bytes),
       humanBytes(part.bytes - part.bytes_across),
       humanBytes(part.bytes_across),
       humanBytes(part.smallest),
       humanBytes(part.largest)});
}

} // namespace

std::string sweepText(const Sweep& sweep, const Color& color) {
  Table table("LAYOUT|GROUP|SIZE>|NODES>|CALLS>|BYTES>|IN NODE>|ACROSS>|SMALLEST>|LARGEST>");
  std::string notes;
  for (const SweptLayout& layout : sweep.layouts) {
    if (!layout.failure.empty()) {
      notes += inert(fmt::format("{} failed: {}", layout.name, layout.failure)) + "\n";
      continue;
    }
    addPart(table, layout.name, layout.all);
    for (const LayoutPart& part : layout.groups) {
      addPart(table, "", part);
    }
  }
  const std::string title = fmt::format(
      "planned, per rank and step; {} ranks, {} per node; fewest bytes across nodes first\n",
      sweep.world_size,
      sweep.per_node);
  return title + (table.empty() ? "" : table.text(color)) + notes;
}

} // namespace commtap
