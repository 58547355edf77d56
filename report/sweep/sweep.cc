// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/sweep/sweep.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "report/json/row_columns.h"
#include "report/json/row_write.h"
#include "report/model/amounts.h"
#include "report/sweep/sweep_columns.h"

namespace commtap {
namespace {

/// The ranks that have a process group of one title and size that spans nodes.
struct GroupSpan {
  uint32_t nodes = 0;
  std::unordered_set<int64_t> crossing;
};
using GroupSpans = std::map<std::pair<std::string, uint32_t>, GroupSpan>;

GroupSpans spansOf(const std::vector<JobGroup>& groups, uint32_t per_node) {
  GroupSpans spans;
  for (const JobGroup& group : groups) {
    const std::string& title = group.desc.empty() ? group.name : group.desc;
    GroupSpan& span = spans[{title, group.size}];
    for (const std::vector<uint32_t>& members : group.members) {
      std::set<uint32_t> nodes;
      for (const uint32_t rank : members) {
        nodes.insert(rank / per_node);
      }
      span.nodes = std::max(span.nodes, static_cast<uint32_t>(nodes.size()));
      if (nodes.size() > 1) {
        span.crossing.insert(members.begin(), members.end());
      }
    }
  }
  return spans;
}

/// Takes away from `row` what it had before the last step.
void subtract(const Collective& before, Collective& row) {
  row.count -= std::min(row.count, before.count);
  row.bytes -= std::min(row.bytes, before.bytes);
  for (const auto& [from, count] : before.sizes) {
    const auto found = row.sizes.find(from);
    if (found != row.sizes.end()) {
      found->second -= std::min(found->second, count);
    }
  }
  std::erase_if(row.sizes, [](const auto& size) { return size.second == 0; });
}

std::vector<Collective> lastStepOf(const PlannedRank& rank) {
  std::map<decltype(keyOf(Collective())), const Collective*> before;
  for (const Collective& row : rank.before->collectives) {
    before.emplace(keyOf(row), &row);
  }
  std::vector<Collective> rows = rank.plan->collectives;
  for (Collective& row : rows) {
    if (const auto found = before.find(keyOf(row)); found != before.end()) {
      subtract(*found->second, row);
    }
  }
  std::erase_if(rows, [](const Collective& row) { return row.count == 0; });
  return rows;
}

/// The smallest and the largest payload of a row's calls.
std::pair<uint64_t, uint64_t> sizesOf(const Collective& row) {
  if (row.sizes.size() <= 1) {
    return {row.bytes / row.count, row.bytes / row.count};
  }
  const uint64_t last = row.sizes.rbegin()->first;
  return {row.sizes.begin()->first, std::min(row.bytes, 2 * last - 1)};
}

/// Adds up messages of all planned ranks.
class MessageSums {
 public:
  MessageSums(const GroupSpans& spans, double all_ranks) : spans_(spans), all_ranks_(all_ranks) {}

  void add(const PlannedRank& rank) {
    for (const Collective& row : lastStepOf(rank)) {
      const Group* group = groupNamed(*rank.plan, row.group);
      const uint32_t size = group == nullptr ? 0 : group->size;
      add(row, groupTitle(*rank.plan, row.group), size, rank.ranks);
    }
  }
  std::vector<Messages> take() {
    std::vector<Messages> all;
    all.reserve(sums_.size());
    for (auto& [key, messages] : sums_) {
      all.push_back(std::move(messages));
    }
    std::stable_sort(all.begin(), all.end(), [](const Messages& a, const Messages& b) { return a.bytes > b.bytes; });
    return all;
  }

 private:
  void add(const Collective& row, const std::string& title, uint32_t group_size, const std::vector<int64_t>& ranks) {
    const auto [smallest, largest] = sizesOf(row);
    const auto span = spans_.find({title, group_size});
    Messages& messages = sums_[{row.kind, title, group_size, smallest, largest}];
    messages.kind = row.kind;
    messages.group = title;
    messages.group_size = group_size;
    messages.smallest = smallest;
    messages.largest = largest;
    const double share = static_cast<double>(ranks.size()) / all_ranks_;
    messages.calls += share * static_cast<double>(row.count);
    messages.bytes += share * static_cast<double>(row.bytes);
    if (span == spans_.end()) {
      return;
    }
    messages.nodes = span->second.nodes;
    const auto crossing = std::count_if(
        ranks.begin(), ranks.end(), [&span](int64_t rank) { return span->second.crossing.count(rank) > 0; });
    messages.bytes_across += static_cast<double>(crossing) / all_ranks_ * static_cast<double>(row.bytes);
  }

  const GroupSpans& spans_;
  double all_ranks_;
  std::map<std::tuple<Kind, std::string, uint32_t, uint64_t, uint64_t>, Messages> sums_;
};

} // namespace

std::vector<Messages>
messagesOf(const std::vector<PlannedRank>& planned, const std::vector<JobGroup>& groups, uint32_t per_node) {
  size_t all_ranks = 0;
  for (const PlannedRank& rank : planned) {
    all_ranks += rank.ranks.size();
  }
  const GroupSpans spans = spansOf(groups, per_node);
  MessageSums sums(spans, static_cast<double>(std::max<size_t>(all_ranks, 1)));
  for (const PlannedRank& rank : planned) {
    sums.add(rank);
  }
  return sums.take();
}

namespace {

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

} // namespace

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

std::string layoutName(const LayoutValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += text.empty() ? "" : " ";
    text.append(name).append("=").append(value);
  }
  return text;
}

template <typename Context>
void addField(JsonRow& row, std::string_view name, const LayoutValues& values, AsItIs, const Context&) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [key, value] : values) {
    object[key] = value;
  }
  row.addJson(name, object);
}

std::string sweepToJson(const Sweep& sweep) {
  return jsonDocument(sweep);
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
