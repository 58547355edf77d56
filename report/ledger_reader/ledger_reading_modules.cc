// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "report/base/json_text.h"
#include "report/ledger_reader/ledger_reading.h"
#include "report/model/module_tree.h"
#include "report/model/stretches.h"

namespace commtap {
namespace {

/// Reads the ranks of each group.
class RankReader {
 public:
  explicit RankReader(LedgerRecords& records) : records_(records) {}

  std::vector<uint32_t> of(const LedgerGroup& group) {
    std::vector<uint32_t> ranks;
    if (group.first_rank == kNoIndex || group.size == 0) {
      return ranks;
    }
    // Each group has records of its own: damage cannot make more of them than there are.
    const uint64_t there = records_.count(kRanks);
    if (group.first_rank > there || group.size > there - std::max<uint64_t>(group.first_rank, read_)) {
      records_.damaged("the ranks of a group are missing");
      return ranks;
    }
    read_ += group.size;
    ranks.resize(group.size);
    std::memcpy(ranks.data(), &records_.at<kRanks>(group.first_rank), ranks.size() * sizeof(uint32_t));
    if (checkOf(ranks) != group.ranks_check) {
      records_.damaged("the ranks of a group are damaged and were left out");
      ranks.clear();
    }
    return ranks;
  }

 private:
  LedgerRecords& records_;
  uint64_t read_ = 0; ///< records
};

void readParameters(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  records.forEachWhole<kParameters>([&](const LedgerParameter& ledger, uint64_t /*number*/) {
    if (ledger.module >= reading.report.modules.size()) {
      records.damaged("a parameter belongs to no module; it was left out");
      return;
    }
    Parameter parameter;
    parameter.name = records.text(ledger.name);
    parameter.shape = integersFromJson(records.text(ledger.shape));
    parameter.local_shape = integersFromJson(records.text(ledger.local_shape));
    parameter.dtype = records.text(ledger.dtype);
    parameter.requires_grad = ledger.requires_grad != 0;
    parameter.mesh = records.text(ledger.mesh);
    parameter.placements = stringsFromJson(records.text(ledger.placements));
    reading.report.modules[ledger.module].parameters.push_back(std::move(parameter));
  });
}

/// Sets the class, and the classes by which libraries swapped it, from LedgerModule::class_name.
void setClasses(Module& module, const std::string& chain) {
  size_t begin = 0;
  for (size_t end = chain.find('/'); end != std::string::npos; end = chain.find('/', begin)) {
    module.wrappers.push_back(chain.substr(begin, end - begin));
    begin = end + 1;
  }
  module.class_name = chain.substr(begin);
}

/// Adds the modules that wrap this one. Each has its own classes so far, or all; the outer ones come first.
void addOuterWrappers(Module& module, const std::vector<Module>& modules, const std::vector<bool>& wraps) {
  constexpr int kMaxNesting = 16;
  uint32_t id = module.id;
  for (int depth = 0; depth < kMaxNesting && wraps[id] && modules[id].parent; ++depth) {
    id = *modules[id].parent;
    module.wrappers.insert(module.wrappers.begin(), modules[id].class_name);
  }
}

std::string dimensionOf(const LedgerGroup& group, LedgerRecords& records) {
  const StringId dimension = group.dimension.load(std::memory_order_acquire);
  return dimension == kNoIndex ? "" : records.text(dimension);
}

} // namespace

std::string LedgerReading::moduleName(uint32_t module) {
  if (module >= report.modules.size()) {
    records.damaged("a call belongs to no module; it is attributed to Global");
    return "Global";
  }
  return report.modules[module].name;
}

void readGroups(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  UniqueNames names;
  RankReader ranks(records);
  for (uint64_t i = 0; i < records.count(kGroups); ++i) {
    const LedgerGroup& group = records.at<kGroups>(i);
    if (!records.isWhole<kGroups>(i)) { // its number stays: rows refer to it
      reading.report.groups.emplace_back().name = names.make("?");
      continue;
    }
    reading.report.groups.push_back(
        {names.make(records.text(group.name)),
         records.text(group.desc),
         records.text(group.backend),
         group.size,
         ranks.of(group),
         group.issued[0].load(std::memory_order_relaxed),
         group.issued[1].load(std::memory_order_relaxed),
         {},
         dimensionOf(group, records)});
  }
}

void readModules(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  std::vector<Module>& modules = reading.report.modules;
  ModuleNames names;
  std::vector<bool> wraps; ///< by id: whether the parent is a wrapper of the module
  modules.reserve(reading.reservable(kModules));
  for (uint64_t i = 0; i < records.count(kModules); ++i) {
    const LedgerModule& ledger = records.at<kModules>(i);
    const bool is_whole = records.isWhole<kModules>(i); // else only its name and its calls are read
    const uint32_t parent = ledger.parent.load(std::memory_order_acquire);
    const StringId clean = is_whole ? ledger.clean.load(std::memory_order_relaxed) : 0;
    const bool has_clean = clean != kNoIndex;
    const bool is_wrapper = is_whole && ((ledger.flags & kModuleWrapperComponent) != 0 || !has_clean);
    names.add(parent, records.text(ledger.component.load()), is_wrapper, records.text(has_clean ? clean : 0));
    Module& module = modules.emplace_back();
    module.id = static_cast<uint32_t>(i);
    if (parent < records.count(kModules)) {
      module.parent = parent;
    }
    setClasses(module, is_whole ? records.text(ledger.class_name) : "?");
    wraps.push_back(is_wrapper);
    for (int phase = 0; phase < kPhaseCount; ++phase) {
      module.calls[phase] = ledger.calls[phase].load(std::memory_order_relaxed);
    }
  }
  for (Module& module : modules) {
    module.name = names.clean(module.id);
    module.raw_name = names.raw(module.id);
    addOuterWrappers(module, modules, wraps);
  }
  readParameters(reading);
}

namespace {

/// The records of one group, by part.
using Parts = std::map<uint32_t, const LedgerSequence*>;

/// Returns the sums up to that of the group's last collective, or up to the first part that the ledger does not have.
std::vector<int64_t> stretchesOf(const Parts& parts, uint64_t collectives) {
  std::vector<int64_t> stretches;
  const uint32_t end = collectives == 0 ? 0 : stretchOf(collectives) + 1;
  for (uint32_t stretch = 0; stretch < end; ++stretch) {
    const auto part = parts.find(stretch / kStretchesPerPart);
    if (part == parts.end()) {
      break;
    }
    const uint64_t sum = part->second->sums[stretch % kStretchesPerPart].load(std::memory_order_relaxed);
    stretches.push_back(static_cast<int64_t>(sum));
  }
  return stretches;
}

} // namespace

void readSequences(LedgerReading& reading) {
  std::map<uint32_t, Parts> groups;
  reading.records.forEachWhole<kSequences>(
      [&](const LedgerSequence& record, uint64_t /*number*/) { groups[record.group].emplace(record.part, &record); });
  for (const auto& [index, parts] : groups) {
    if (index < reading.report.groups.size()) {
      Group& group = reading.report.groups[index];
      group.stretches = stretchesOf(parts, group.collectives);
    }
  }
}

} // namespace commtap
