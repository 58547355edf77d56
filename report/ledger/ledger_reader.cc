// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/base/json_text.h"
#include "report/base/process.h"
#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_image.h"
#include "report/ledger/ledger_layout.h"
#include "report/ledger/ledger_times.h"
#include "report/model/graph_calls.h"
#include "report/model/module_names.h"
#include "report/model/nccl.h"
#include "report/model/not_seen.h"

namespace commtap {
namespace {

/// Returns commtap's own cost as the ledger has it; the time of the end is added when the report is written.
OwnCost ownCostOf(const LedgerCost& ledger, uint64_t ledger_bytes) {
  const auto spentIn = [&](CostPart part) {
    return ledger.spent_ns[static_cast<size_t>(part)].load(std::memory_order_relaxed);
  };
  return {
      ledger.start_ns,
      spentIn(CostPart::kCollectives),
      spentIn(CostPart::kModuleCalls),
      spentIn(CostPart::kOther),
      0,
      ledger_bytes + ledger.index_bytes + ledger.thread_bytes.load(std::memory_order_relaxed),
      ledger_bytes};
}

void add(Collective& row, Collective&& other) {
  row.count += other.count;
  row.bytes += other.bytes;
  row.bus_bytes += other.bus_bytes;
  row.time += other.time;
  for (const auto& [from_bytes, count] : other.sizes) {
    row.sizes[from_bytes] += count;
  }
  for (std::string& op : other.lowered) {
    if (std::find(row.lowered.begin(), row.lowered.end(), op) == row.lowered.end()) {
      row.lowered.push_back(std::move(op));
    }
  }
}

/// A section's published records, as far as they lie inside the bytes that there are.
struct Records {
  const std::byte* data = nullptr;
  uint64_t count = 0;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Result<LedgerContents> run() {
    if (std::string error = checkHeader(); !error.empty()) {
      return Result<LedgerContents>::failure(std::move(error));
    }
    // Records refer to those of earlier sections, and a process that still runs goes on appending.
    for (int id = kSectionCount - 1; id >= 0; --id) {
      locate(static_cast<LedgerSectionId>(id));
    }
    readJob();
    readGroups();
    readModules();
    readParameters();
    orderModules();
    readCollectives();
    readOperations();
    readSteps();
    readLast();
    readNccl();
    readCudaGraphs();
    readOwnCost();
    readNotSeen();
    return std::move(contents_);
  }

 private:
  const LedgerHeader& header() const {
    return *reinterpret_cast<const LedgerHeader*>(bytes_.data());
  }

  template <typename T>
  const T& record(LedgerSectionId id, uint64_t index) const {
    return *reinterpret_cast<const T*>(records_[id].data + index * sizeof(T));
  }

  std::string checkHeader() const {
    if (bytes_.size() < sizeof(kLedgerMagic) + sizeof(uint32_t) ||
        std::memcmp(bytes_.data(), kLedgerMagic, sizeof(kLedgerMagic)) != 0) {
      return "not a commtap ledger";
    }
    uint32_t version = 0;
    std::memcpy(&version, bytes_.data() + sizeof(kLedgerMagic), sizeof(version));
    if (version != kLedgerVersion) {
      return "a ledger of format " + std::to_string(version) + ", this commtap reads format " +
             std::to_string(kLedgerVersion) + ": use the commtap that the job ran with";
    }
    if (bytes_.size() < sizeof(LedgerHeader) || header().header_size != sizeof(LedgerHeader)) {
      return "a ledger cut off inside its header (" + std::to_string(bytes_.size()) + " bytes)";
    }
    return {};
  }

  void damaged(const char* what) {
    if (contents_.damage.empty()) {
      contents_.damage = what;
    }
  }

  void locate(LedgerSectionId id) {
    const LedgerSection& section = header().sections[id];
    const uint64_t size = bytes_.size();
    const uint64_t offset = std::min<uint64_t>(section.offset, size);
    const uint64_t room = (size - offset) / kLedgerRecordSizes[id];
    const uint64_t written = section.used.load(std::memory_order_acquire);
    const uint64_t used = id == kLast ? std::min(written, section.capacity) : written;
    if (section.record_size != kLedgerRecordSizes[id] || section.offset % sizeof(uint64_t) != 0) {
      damaged("a section has another layout than this version writes; it was left out");
      return;
    }
    if (used > room || used > section.capacity) {
      damaged("the file is cut off; what it still holds was read");
    }
    records_[id] = {bytes_.data() + offset, std::min({used, room, section.capacity})};
  }

  std::string text(StringId id) {
    return std::string(textView(id));
  }

  std::string_view textView(StringId id) {
    const Records& strings = records_[kStrings];
    uint32_t length = 0;
    if (strings.count < sizeof(length) || id > strings.count - sizeof(length)) {
      if (id != 0) {
        damaged("a name is missing; it reads as \"?\"");
      }
      return id == 0 ? "" : "?";
    }
    std::memcpy(&length, strings.data + id, sizeof(length));
    if (length > kMaxString || length > strings.count - sizeof(length) - id) {
      damaged("a name is missing; it reads as \"?\"");
      return "?";
    }
    return {reinterpret_cast<const char*>(strings.data + id + sizeof(length)), length};
  }

  static std::optional<int64_t> unlessNegative(int64_t value) {
    return value < 0 ? std::nullopt : std::optional<int64_t>(value);
  }

  void readJob() {
    const LedgerHeader& head = header();
    Job& job = contents_.report.job;
    job.run_id = text(head.run_id);
    job.rank = unlessNegative(head.rank);
    job.world_size = unlessNegative(head.world_size);
    job.local_rank = unlessNegative(head.local_rank);
    job.attempt = std::max<int64_t>(head.attempt, 0);
    job.host = text(head.host);
    job.pid = head.pid;
    job.argv = stringsFromJson(text(head.argv));
    job.started_at_ns = head.started_at_ns;
    if (const uint64_t ended = head.ended_at_ns.load(); ended != 0) {
      job.ended_at_ns = ended;
    }
    const uint32_t exit = head.exit.load();
    job.exit = exit < kExitKindCount ? static_cast<ExitKind>(exit) : ExitKind::kRunning;
    if (head.exit_signal > 0) {
      job.exit_signal = head.exit_signal;
    }
    job.torch_version = text(head.torch_version);
    job.python_version = text(head.python_version);
    job.commtap_version = text(head.commtap_version);
    job.timing = {head.timing_every, head.timing_device != 0};
    contents_.report_name = text(head.report_name);
    contents_.boot_id = text(head.boot_id);
    contents_.pid_start_ticks = head.pid_start_ticks;
    contents_.parent_pid = head.parent_pid;
    contents_.run_began_ns = head.run_began_ns;
  }

  void readGroups() {
    UniqueNames names;
    for (uint64_t i = 0; i < records_[kGroups].count; ++i) {
      const auto& group = record<LedgerGroup>(kGroups, i);
      contents_.report.groups.push_back(
          {names.make(text(group.name)),
           text(group.desc),
           text(group.backend),
           group.size,
           ranksOf(group),
           group.issued[0].load(std::memory_order_relaxed),
           group.issued[1].load(std::memory_order_relaxed)});
    }
  }

  std::vector<uint32_t> ranksOf(const LedgerGroup& group) {
    std::vector<uint32_t> ranks;
    if (group.first_rank == kNoIndex || group.size == 0) {
      return ranks;
    }
    // Each group has records of its own: no damage makes more of them than there are.
    const uint64_t there = records_[kRanks].count;
    if (group.first_rank > there || group.size > there - std::max<uint64_t>(group.first_rank, ranks_read_)) {
      damaged("the ranks of a group are missing");
      return ranks;
    }
    ranks_read_ += group.size;
    ranks.resize(group.size);
    std::memcpy(
        ranks.data(), records_[kRanks].data + group.first_rank * sizeof(uint32_t), ranks.size() * sizeof(uint32_t));
    return ranks;
  }

  void readModules() {
    ModuleNames names;
    contents_.report.modules.reserve(std::min(records_[kModules].count, kLedgerCapacities[kModules]));
    for (uint64_t i = 0; i < records_[kModules].count; ++i) {
      const auto& ledger = record<LedgerModule>(kModules, i);
      const uint32_t parent = ledger.parent.load(std::memory_order_acquire);
      names.add(parent, text(ledger.component.load()), (ledger.flags & kModuleWrapperComponent) != 0);
      Module& module = contents_.report.modules.emplace_back();
      module.id = static_cast<uint32_t>(i);
      if (parent < records_[kModules].count) {
        module.parent = parent;
      }
      module.class_name = text(ledger.class_name);
      for (int phase = 0; phase < kPhaseCount; ++phase) {
        module.calls[phase] = ledger.calls[phase].load(std::memory_order_relaxed);
      }
    }
    for (Module& module : contents_.report.modules) {
      module.name = names.clean(module.id);
      module.raw_name = names.raw(module.id);
    }
  }

  void readParameters() {
    for (uint64_t i = 0; i < records_[kParameters].count; ++i) {
      const auto& ledger = record<LedgerParameter>(kParameters, i);
      if (ledger.module >= contents_.report.modules.size()) {
        damaged("a parameter belongs to no module; it was left out");
        continue;
      }
      Parameter parameter;
      parameter.name = text(ledger.name);
      parameter.shape = integersFromJson(text(ledger.shape));
      parameter.local_shape = integersFromJson(text(ledger.local_shape));
      parameter.dtype = text(ledger.dtype);
      parameter.requires_grad = ledger.requires_grad != 0;
      parameter.mesh = text(ledger.mesh);
      parameter.placements = stringsFromJson(text(ledger.placements));
      contents_.report.modules[ledger.module].parameters.push_back(std::move(parameter));
    }
  }

  std::string moduleName(uint32_t id) {
    if (id >= contents_.report.modules.size()) {
      damaged("a call belongs to no module; it is billed to Global");
      return "Global";
    }
    return contents_.report.modules[id].name;
  }

  /// Each module's place in the order of names; modules that share a name share it.
  void orderModules() {
    const std::vector<Module>& modules = contents_.report.modules;
    std::vector<uint32_t> by_name(modules.size());
    std::iota(by_name.begin(), by_name.end(), 0);
    std::sort(
        by_name.begin(), by_name.end(), [&](uint32_t a, uint32_t b) { return modules[a].name < modules[b].name; });
    module_order_.resize(std::max<size_t>(modules.size(), 1));
    for (size_t i = 1; i < by_name.size(); ++i) {
      const uint32_t before = by_name[i - 1];
      const bool is_same = modules[by_name[i]].name == modules[before].name;
      module_order_[by_name[i]] = module_order_[before] + (is_same ? 0 : 1);
    }
  }
  uint32_t orderOf(uint32_t module) const {
    return module_order_[module < module_order_.size() ? module : kGlobalModule];
  }

  /// Calls visit(record, is_new) for each record of a table with a count: those first that make the first row, and so
  /// on. `is_new` where a row begins. `keyOf` tells rows apart.
  template <typename Record, typename KeyOf, typename Visit>
  void forEachInOrder(LedgerSectionId id, KeyOf keyOf, Visit visit) {
    std::vector<std::pair<uint32_t, const Record*>> order;
    order.reserve(std::min(records_[id].count, kLedgerCapacities[id]));
    for (uint64_t i = 0; i < records_[id].count; ++i) {
      const auto& each = record<Record>(id, i);
      if (each.count.load(std::memory_order_relaxed) > 0) {
        order.emplace_back(orderOf(each.key.module), &each);
      }
    }
    // Most rows are told apart by their module's place, without a look at their texts.
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : keyOf(*a.second) < keyOf(*b.second);
    });
    for (size_t i = 0; i < order.size(); ++i) {
      const bool is_same =
          i > 0 && order[i].first == order[i - 1].first && keyOf(*order[i].second) == keyOf(*order[i - 1].second);
      visit(*order[i].second, !is_same);
    }
  }

  void readCollectives() {
    std::vector<Collective>& rows = contents_.report.collectives;
    rows.reserve(std::min(records_[kCollectives].count, kLedgerCapacities[kCollectives]));
    const auto key_of = [this](const LedgerCollective& ledger) {
      const CollectiveKey& key = ledger.key;
      return std::tuple(
          phaseOf(key.phase),
          textView(key.op),
          kindOf(key.kind),
          groupName(key.group),
          textView(key.dtype),
          textView(key.reduce_op),
          asyncOf(key.async_op),
          orderOf(key.issued_in));
    };
    forEachInOrder<LedgerCollective>(kCollectives, key_of, [&](const LedgerCollective& ledger, bool is_new) {
      if (is_new) {
        rows.push_back(collective(ledger));
      } else {
        add(rows.back(), collective(ledger));
      }
    });
  }

  Collective collective(const LedgerCollective& ledger) {
    const CollectiveKey& key = ledger.key;
    Collective row;
    row.module = moduleName(key.module);
    row.issued_in = moduleName(key.issued_in);
    row.phase = phaseOf(key.phase);
    row.op = text(key.op);
    row.kind = kindOf(key.kind);
    row.group = groupName(key.group);
    row.dtype = text(key.dtype);
    row.reduce_op = text(key.reduce_op);
    row.async_op = asyncOf(key.async_op);
    for (const auto& lowered : ledger.lowered) {
      if (const StringId id = lowered.load(std::memory_order_relaxed); id != 0) {
        row.lowered.push_back(text(id));
      }
    }
    row.count = ledger.count.load(std::memory_order_relaxed);
    row.bytes = ledger.bytes.load(std::memory_order_relaxed);
    const bool known = key.group < contents_.report.groups.size();
    const uint32_t group_size = known ? contents_.report.groups[key.group].size : 0;
    row.bus_bytes = busBytes(row.kind, row.bytes, group_size);
    row.time = timeOf(ledger);
    row.time.bus_bytes = busBytes(row.kind, row.time.bytes, group_size);
    row.sizes[sizeClassStart(std::min<uint8_t>(key.size_class, kMaxSizeClass))] = row.count;
    return row;
  }

  static Phase phaseOf(Phase phase) {
    return static_cast<int>(phase) < kPhaseCount ? phase : Phase::kOther;
  }
  static Kind kindOf(Kind kind) {
    return static_cast<int>(kind) < kKindCount ? kind : Kind::kOther;
  }
  static AsyncOp asyncOf(AsyncOp async_op) {
    return async_op <= AsyncOp::kUnknown ? async_op : AsyncOp::kUnknown;
  }

  CollectiveTime timeOf(const LedgerCollective& row) const {
    CollectiveTime time;
    const uint32_t number = row.times.load(std::memory_order_acquire);
    if (number == 0 || number > records_[kTimes].count) {
      return time;
    }
    const auto& ledger = record<LedgerTimes>(kTimes, number - 1);
    for (size_t i = 0; i < time.durations.size(); ++i) {
      time.durations[i] = durationsOf(ledger.durations[i]);
    }
    time.bytes = ledger.bytes.load(std::memory_order_relaxed);
    return time;
  }

  std::string_view groupName(uint32_t group) const {
    return group < contents_.report.groups.size() ? std::string_view(contents_.report.groups[group].name) : "?";
  }

  uint64_t realtime(uint64_t steady_ns) const {
    return steady_ns + header().realtime_minus_steady;
  }
  std::optional<uint64_t> realtimeUnlessZero(uint64_t steady_ns) const {
    return steady_ns == 0 ? std::nullopt : std::optional<uint64_t>(realtime(steady_ns));
  }

  /// The step that runs is record 0 in the ledger, and the last one in the report.
  void readSteps() {
    std::vector<Step>& steps = contents_.report.steps;
    for (uint64_t i = 1; i < records_[kSteps].count; ++i) {
      steps.push_back(step(record<LedgerStep>(kSteps, i)));
    }
    uint64_t next = 0;
    for (size_t i = 0; i < steps.size(); next += steps[i].steps, ++i) {
      if (steps[i].first_step != next) { // killed while it joined records
        damaged("the steps do not follow each other; those after the gap were left out");
        steps.resize(i);
        break;
      }
    }
    if (records_[kSteps].count > 0) {
      steps.push_back(step(record<LedgerStep>(kSteps, 0)));
      steps.back().steps = 1;
    }
  }

  Step step(const LedgerStep& ledger) {
    Step step{
        ledger.first_step,
        ledger.steps,
        realtime(ledger.started_at_ns),
        realtimeUnlessZero(ledger.ended_at_ns),
        ledger.forward_passes,
        ledger.backward_passes,
        {}};
    for (uint32_t i = 0; i < kLaneCount; ++i) {
      const uint64_t count = ledger.lanes[i].count.load(std::memory_order_relaxed);
      const uint64_t running_ns = ledger.lanes[i].running_ns.load(std::memory_order_relaxed);
      const uint64_t blocked_ns = ledger.lanes[i].blocked_ns.load(std::memory_order_relaxed);
      if (count > 0 || running_ns > 0 || blocked_ns > 0) { // issued here, or in an earlier step and over here
        const bool known = i < records_[kLanes].count;
        const LedgerLane lane = known ? record<LedgerLane>(kLanes, i) : LedgerLane{Kind::kOther, {}, kNoIndex};
        const Kind kind = kindOf(lane.kind);
        step.collectives.push_back(
            {kind, std::string(groupName(lane.group)), count, ledger.lanes[i].bytes, running_ns, blocked_ns});
      }
    }
    return step;
  }

  void readLast() {
    std::vector<LastCollective>& all = contents_.report.last;
    std::unordered_map<uint32_t, Collective> rows;
    for (uint64_t i = 0; i < records_[kLast].count; ++i) {
      const auto& ledger = record<LedgerLast>(kLast, i);
      if (ledger.number.load(std::memory_order_acquire) != 0) {
        all.push_back(last(ledger, rows));
      }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  }

  /// `rows`: those that others of the last collectives have named already, by number.
  LastCollective last(const LedgerLast& ledger, std::unordered_map<uint32_t, Collective>& rows) {
    LastCollective last;
    if (ledger.row < records_[kCollectives].count) {
      const auto [known, is_new] = rows.try_emplace(ledger.row);
      if (is_new) {
        known->second = collective(record<LedgerCollective>(kCollectives, ledger.row));
      }
      const Collective& row = known->second;
      last.group = row.group;
      last.module = row.module;
      last.issued_in = row.issued_in;
      last.phase = row.phase;
      last.op = row.op;
      last.kind = row.kind;
      last.dtype = row.dtype;
    } else {
      last.group = last.module = last.issued_in = last.op = "?";
    }
    last.number = ledger.number.load(std::memory_order_relaxed);
    last.sequence = ledger.sequence;
    last.step = ledger.step;
    last.bytes = ledger.bytes;
    if (ledger.peer >= 0) {
      last.peer = ledger.peer;
    }
    const uint32_t state = ledger.state.load(std::memory_order_relaxed);
    last.state = state < kLastStateCount ? static_cast<LastState>(state) : LastState::kIssued;
    last.issued_at_ns = realtime(ledger.issued_at_ns);
    last.started_at_ns = realtimeUnlessZero(ledger.started_at_ns);
    last.completed_at_ns = realtimeUnlessZero(ledger.completed_at_ns);
    return last;
  }

  /// Modules that share a clean name share its rows.
  void readOperations() {
    if (header().level == static_cast<uint32_t>(Level::kCollectives)) {
      return;
    }
    std::vector<Operation>& rows = contents_.report.operations.emplace();
    rows.reserve(std::min(records_[kOperations].count, kLedgerCapacities[kOperations]));
    const auto key_of = [this](const LedgerOperation& ledger) {
      const OperationKey& key = ledger.key;
      return std::tuple(phaseOf(key.phase), textView(key.op), key.dtensor != 0);
    };
    forEachInOrder<LedgerOperation>(kOperations, key_of, [&](const LedgerOperation& ledger, bool is_new) {
      if (is_new) {
        const OperationKey& key = ledger.key;
        rows.push_back({moduleName(key.module), phaseOf(key.phase), text(key.op), key.dtensor != 0, 0});
      }
      rows.back().count += ledger.count.load(std::memory_order_relaxed);
    });
  }

  void readNccl() {
    const uint32_t version = header().nccl.load(std::memory_order_relaxed);
    if (version == 0) {
      return;
    }
    Nccl& nccl = contents_.report.nccl.emplace();
    nccl.version = ncclVersionText(version);
    for (uint64_t i = 0; i < records_[kCommunicators].count; ++i) {
      nccl.communicators.push_back(communicator(record<LedgerCommunicator>(kCommunicators, i)));
    }
    for (uint64_t i = 0; i < records_[kNcclCalls].count; ++i) {
      const auto& ledger = record<LedgerNcclCall>(kNcclCalls, i);
      if (NcclCall call = ncclCall(ledger); call.count > 0 || call.captured > 0) {
        nccl.calls.push_back(std::move(call));
      }
    }
    mergeEqualCalls(nccl.calls);
  }

  NcclCommunicator communicator(const LedgerCommunicator& ledger) const {
    NcclCommunicator read;
    if (const uint32_t size = ledger.size.load(std::memory_order_acquire); size > 0) {
      read.size = size;
      read.rank = ledger.rank.load(std::memory_order_relaxed);
    }
    const uint32_t group = ledger.group.load(std::memory_order_relaxed);
    read.group = group == kNoIndex ? "" : groupName(group);
    return read;
  }

  NcclCall ncclCall(const LedgerNcclCall& ledger) {
    const NcclKey& key = ledger.key;
    NcclCall call;
    call.function = text(key.function);
    if (key.communicator < records_[kCommunicators].count) {
      call.communicator = key.communicator;
    }
    call.op = text(key.op);
    call.group = key.group == kNoIndex ? "" : groupName(key.group);
    call.module = moduleName(key.module);
    call.phase = phaseOf(key.phase);
    call.dtype = ncclDatatypeName(key.datatype);
    call.source = key.told_by_plugin != 0 ? NcclSource::kPlugin : NcclSource::kCall;
    if (call.source == NcclSource::kCall) {
      call.in_group = key.in_group != 0;
    }
    call.count = ledger.count.load(std::memory_order_relaxed);
    call.failed = ledger.failed.load(std::memory_order_relaxed);
    call.bytes = ledger.bytes.load(std::memory_order_relaxed);
    call.captured = ledger.captured.load(std::memory_order_relaxed);
    return call;
  }

  void readCudaGraphs() {
    std::vector<CudaGraph>& graphs = contents_.report.cuda_graphs;
    graphs.resize(records_[kGraphs].count);
    for (uint64_t i = 0; i < graphs.size(); ++i) {
      graphs[i].launches = record<LedgerGraph>(kGraphs, i).launches.load(std::memory_order_relaxed);
    }
    for (uint64_t i = 0; i < records_[kGraphCalls].count; ++i) {
      const auto& call = record<LedgerGraphCall>(kGraphCalls, i);
      if (call.graph >= graphs.size()) {
        continue;
      }
      CudaGraph& graph = graphs[call.graph];
      if (call.of_nccl != 0 && call.row < records_[kNcclCalls].count) {
        const NcclCall row = ncclCall(record<LedgerNcclCall>(kNcclCalls, call.row));
        addGraphCall(graph.nccl_calls, {row.function, row.communicator, call.count, call.bytes});
      } else if (call.of_nccl == 0 && call.row < records_[kCollectives].count) {
        const Collective row = collective(record<LedgerCollective>(kCollectives, call.row));
        addGraphCall(graph.collectives, {row.module, row.phase, row.op, row.kind, row.group, call.count, call.bytes});
      }
    }
  }

  void readOwnCost() {
    uint64_t ledger_bytes = kLedgerLayout.offsets[0]; // the header's
    for (int id = 0; id < kSectionCount; ++id) {
      const uint64_t bytes = records_[id].count * kLedgerRecordSizes[id];
      ledger_bytes += roundUp(bytes, kLedgerPage);
    }
    contents_.report.own_cost = ownCostOf(header().cost, ledger_bytes);
  }

  void readNotSeen() {
    for (int i = 0; i < kNotSeenCount; ++i) {
      const LedgerNotSeen& entry = header().not_seen[i];
      if (const uint64_t count = entry.count.load(); count > 0) {
        const auto reason = static_cast<NotSeen>(i);
        contents_.report.not_seen.push_back(
            {std::string(notSeenName(reason)), count, text(entry.detail.load()), std::string(notSeenMeaning(reason))});
      }
    }
    if (!contents_.damage.empty()) {
      contents_.report.not_seen.push_back(
          {"ledger_damaged", 1, contents_.damage, "parts of the ledger could not be read"});
    }
  }

  std::span<const std::byte> bytes_;
  std::array<Records, kSectionCount> records_;
  uint64_t ranks_read_ = 0;
  std::vector<uint32_t> module_order_; ///< by id; never empty
  LedgerContents contents_;
};

} // namespace

Result<LedgerContents> readLedger(std::span<const std::byte> bytes) {
  return Reader(bytes).run();
}

Result<LedgerContents> readLedgerFile(const std::string& path) {
  const Result<LedgerImage> image = LedgerImage::load(path);
  if (!image) {
    return Result<LedgerContents>::failure(path + ": " + image.error());
  }
  Result<LedgerContents> contents = readLedger(image->bytes());
  if (!contents) {
    return Result<LedgerContents>::failure(path + ": " + contents.error());
  }
  Job& job = contents->report.job;
  if (job.exit == ExitKind::kRunning && !mayBeRunning({job.pid, contents->pid_start_ticks, contents->boot_id})) {
    job.exit = ExitKind::kKilled;
  }
  return contents;
}

} // namespace commtap
