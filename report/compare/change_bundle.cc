// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/change_bundle.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "report/model/module_tree.h"

namespace commtap {
namespace {

/// Returns what equal changes have in common. The ranks themselves matter only where they changed: the layers of all
/// pipeline stages are one bundle.
auto samenessOf(const CellChange& cell) {
  const auto& [before, after, gained, lost] = cell.change;
  const bool moved = cell.change.hasOtherRanks();
  CellKey key = cell.key;
  key.module = skeletonOf(key.module);
  return std::tuple(
      std::move(key),
      std::tuple(before.ranks, before.count, before.bytes, before.is_uneven, moved ? before.on : RankRanges()),
      std::tuple(after.ranks, after.count, after.bytes, after.is_uneven, moved ? after.on : RankRanges()));
}

/// Returns the numbers that take the place of the only `*` of a pattern; nullopt if it has several, or other texts.
std::optional<RankRanges> numbersIn(const ChangeBundle& bundle) {
  const size_t star = bundle.pattern.find('*');
  if (star == std::string::npos || bundle.pattern.find('*', star + 1) != std::string::npos) {
    return std::nullopt;
  }
  std::vector<int64_t> numbers;
  for (const std::string& module : bundle.modules) {
    const size_t digits = module.size() - std::min(module.size(), bundle.pattern.size() - 1);
    int64_t number = 0;
    const char* end = module.data() + star + digits;
    const auto [rest, error] = std::from_chars(module.data() + star, end, number);
    if (error != std::errc() || rest != end) {
      return std::nullopt;
    }
    numbers.push_back(number);
  }
  return rankRanges(std::move(numbers));
}

/// Names the modules of a bundle that shares its pattern with others: "Net.layers.{0-3,7}.attention".
std::string numberedName(const ChangeBundle& bundle) {
  if (const std::optional<RankRanges> numbers = numbersIn(bundle)) {
    std::string name = bundle.pattern;
    return name.replace(name.find('*'), 1, "{" + rangesText(*numbers) + "}");
  }
  const size_t more = bundle.modules.size() - 1;
  return bundle.modules.front() + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

} // namespace

std::vector<ChangeBundle> bundle(const std::vector<CellChange>& changes, uint64_t steps, bool per_step) {
  std::map<decltype(samenessOf(CellChange())), size_t> places;
  std::vector<ChangeBundle> bundles;
  for (const CellChange& cell : changes) {
    const auto [place, is_new] = places.emplace(samenessOf(cell), bundles.size());
    if (is_new) {
      bundles.push_back({"", {}, cell.key, cell.change, steps, "", per_step && !cell.key.setup});
    }
    bundles[place->second].modules.push_back(cell.key.module);
  }
  std::map<CellKey, size_t> with_pattern;
  const auto keyOf = [](const ChangeBundle& each) {
    CellKey key = each.first;
    key.module = each.pattern;
    return key;
  };
  for (ChangeBundle& each : bundles) {
    each.pattern = patternOf(each.modules);
    ++with_pattern[keyOf(each)];
  }
  for (ChangeBundle& each : bundles) {
    each.name = with_pattern[keyOf(each)] == 1 ? each.pattern : numberedName(each);
  }
  return bundles;
}

} // namespace commtap
