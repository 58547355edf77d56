// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/totals.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "report/model/module_tree.h"

namespace commtap {
namespace {

Amount amountOf(const Collective& row) {
  return {row.count, row.bytes, row.bus_bytes};
}

class GroupSums {
 public:
  void add(const Report& report) {
    std::unordered_map<std::string, const Group*> groups;
    for (const Group& group : report.groups) {
      groups.emplace(group.name, &group);
    }
    for (const Collective& row : report.collectives) {
      const auto known = groups.find(row.group);
      Sum& sum = known == groups.end() ? sums_[Key(row.group, "", 0)] : sums_[keyOf(*known->second)];
      sum.amounts[{row.phase, row.kind}] += amountOf(row);
      if (known != groups.end() && !known->second->ranks.empty()) {
        std::vector<uint32_t> ranks = known->second->ranks;
        std::sort(ranks.begin(), ranks.end());
        sum.ranks.insert(std::move(ranks));
      }
    }
  }

  std::vector<GroupTotals> take() {
    std::vector<GroupTotals> groups;
    for (auto& [key, sum] : sums_) {
      const auto& [name, backend, size] = key;
      groups.push_back({name, backend, size, {sum.ranks.begin(), sum.ranks.end()}, std::move(sum.amounts)});
    }
    std::stable_sort(groups.begin(), groups.end(), [](const GroupTotals& a, const GroupTotals& b) {
      return sumOf(a.amounts, {}, {}).bytes > sumOf(b.amounts, {}, {}).bytes;
    });
    return groups;
  }

 private:
  using Key = std::tuple<std::string, std::string, uint32_t>;
  struct Sum {
    std::set<std::vector<uint32_t>> ranks;
    Amounts amounts;
  };

  static Key keyOf(const Group& group) {
    return {groupTitle(group), group.backend, group.size};
  }

  std::map<Key, Sum> sums_;
};

} // namespace

StepAmount sumOf(const Step& step) {
  StepAmount sum;
  for (const StepAmount& amount : step.collectives) {
    sum.count += amount.count;
    sum.bytes += amount.bytes;
    sum.running_ns += amount.running_ns;
    sum.blocked_ns += amount.blocked_ns;
  }
  return sum;
}

bool isDescribed(const Group& group) {
  return !group.desc.empty() && group.desc != "undefined";
}

const std::string& groupTitle(const Group& group) {
  return isDescribed(group) ? group.desc : group.name;
}

const Group* groupNamed(const Report& report, const std::string& name) {
  for (const Group& group : report.groups) {
    if (group.name == name) {
      return &group;
    }
  }
  return nullptr;
}

const std::string& groupTitle(const Report& report, const std::string& name) {
  const Group* group = groupNamed(report, name);
  return group == nullptr ? name : groupTitle(*group);
}

Amount& Amount::operator+=(const Amount& other) {
  count += other.count;
  bytes += other.bytes;
  bus_bytes += other.bus_bytes;
  return *this;
}

Amount sumOf(const Amounts& amounts, std::optional<Phase> phase, std::optional<Kind> kind) {
  Amount sum;
  for (const auto& [key, amount] : amounts) {
    if ((!phase || key.phase == *phase) && (!kind || key.kind == *kind)) {
      sum += amount;
    }
  }
  return sum;
}

std::string ModuleTotals::label(const std::vector<ModuleTotals>& modules) const {
  const std::string prefix = modules[parent].name + ".";
  return name.size() > prefix.size() && name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

Totals totalsOf(std::span<const Report* const> reports) {
  Totals totals;
  GroupSums groups;
  ModuleTree tree;
  for (const Report* report : reports) {
    groups.add(*report);
    tree.add(*report);
    for (const Collective& row : report->collectives) {
      totals.job[{row.phase, row.kind}] += amountOf(row);
      tree.own(row.module)[{row.phase, row.kind}] += amountOf(row);
    }
  }
  totals.groups = groups.take();
  totals.modules = tree.take();
  return totals;
}

} // namespace commtap
