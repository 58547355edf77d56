// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include "report/ledger/ledger_steps.h"
#include "report/ledger/ledger_times.h"

namespace commtap {
namespace {

/// The file system is asked for space in steps of this size, so that a full disk is an error code and no SIGBUS.
constexpr uint64_t kAllocationStep = 64U << 10U;

std::byte* newMemory(size_t size) {
  // Shared, although nobody shares it: only such memory can be looked at in two places (publish()).
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory); // NOLINT(performance-no-int-to-ptr)
}

/// The same memory at a second address; nullptr with errno set.
std::byte* secondView(std::byte* memory, size_t size) {
  void* view = mremap(memory, 0, size, MREMAP_MAYMOVE); // an old size of 0 leaves the first view in place
  return view == MAP_FAILED ? nullptr : static_cast<std::byte*>(view); // NOLINT(performance-no-int-to-ptr)
}

} // namespace

std::unique_ptr<LedgerWriter> LedgerWriter::create() {
  std::unique_ptr<LedgerWriter> writer(new (std::nothrow) LedgerWriter());
  if (!writer) {
    return nullptr;
  }
  writer->base_ = newMemory(kLedgerLayout.size);
  if (writer->base_ == nullptr || !writer->row_index_.create()) {
    return nullptr;
  }
  writer->initialize();
  return writer;
}

LedgerWriter::~LedgerWriter() {
  if (base_ != nullptr) {
    munmap(base_, kLedgerLayout.size);
  }
}

void LedgerWriter::initialize() {
  LedgerHeader& head = *new (base_) LedgerHeader();
  head.version = kLedgerVersion;
  head.header_size = sizeof(LedgerHeader);
  head.rank = head.world_size = head.local_rank = -1;
  head.cost.index_bytes = row_index_.kBytes;
  for (size_t i = 0; i < kSectionCount; ++i) {
    head.sections[i].offset = kLedgerLayout.offsets[i];
    head.sections[i].capacity = kLedgerCapacities[i];
    head.sections[i].record_size = kLedgerRecordSizes[i];
  }
  used_ = {};
  commit(kStrings, sizeof(uint32_t)); // the empty string: length 0 at offset 0
  addModule(kNoIndex, "Global", "", 0);
  commit(kSteps, 1);
  used_[kLast] = kLedgerCapacities[kLast]; // a ring: all of it is there from the start
  std::memcpy(head.magic, kLedgerMagic, sizeof(kLedgerMagic));
}

/// Index of the first of `records` new records, not yet published; kNoIndex if they do not fit. Needs mutex_.
uint64_t LedgerWriter::reserve(LedgerSectionId id, uint64_t records) {
  const uint64_t used = used_[id];
  if (used + records > kLedgerCapacities[id] || !allocateUpTo(id, used + records)) {
    return kNoIndex;
  }
  return used;
}

/// From now on readers see the records below `used`. Needs mutex_.
void LedgerWriter::commit(LedgerSectionId id, uint64_t used) {
  used_[id] = used;
  section(id).used.store(used, std::memory_order_release);
}

bool LedgerWriter::allocateUpTo(LedgerSectionId id, uint64_t records) {
  const uint64_t needed = records * kLedgerRecordSizes[id];
  if (!published() || needed <= allocated_[id]) {
    return true;
  }
  const uint64_t end =
      std::min(roundUp(needed, kAllocationStep), roundUp(kLedgerCapacities[id] * kLedgerRecordSizes[id], kLedgerPage));
  if (!file_.allocate(kLedgerLayout.offsets[id] + allocated_[id], end - allocated_[id])) {
    return false;
  }
  allocated_[id] = end;
  return true;
}

StringId LedgerWriter::intern(std::string_view text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return internLocked(text);
}

StringId LedgerWriter::internLocked(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  text = text.substr(0, kMaxString);
  const auto known = strings_.find(text);
  if (known != strings_.end()) {
    return known->second;
  }
  const auto length = static_cast<uint32_t>(text.size());
  const uint64_t room = roundUp(sizeof(length) + length, sizeof(uint32_t));
  const uint64_t offset = reserve(kStrings, room);
  if (offset == kNoIndex) {
    header().not_seen[static_cast<size_t>(NotSeen::kStringsFull)].count.fetch_add(1);
    return text == "?" ? 0 : internLocked("?");
  }
  std::memcpy(at(kStrings) + offset, &length, sizeof(length));
  std::memcpy(at(kStrings) + offset + sizeof(length), text.data(), length);
  commit(kStrings, offset + room);
  strings_.emplace(text, static_cast<StringId>(offset));
  return static_cast<StringId>(offset);
}

std::string_view LedgerWriter::text(StringId id) const {
  const std::byte* start = base_ + kLedgerLayout.offsets[kStrings] + id;
  uint32_t length = 0;
  std::memcpy(&length, start, sizeof(length));
  return {reinterpret_cast<const char*>(start + sizeof(length)), length};
}

uint32_t LedgerWriter::addGroup(
    std::string_view name,
    std::string_view desc,
    std::string_view backend,
    uint32_t size,
    uint32_t rank,
    std::span<const uint32_t> ranks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t index = reserve(kGroups, 1); // before its names and ranks take up room
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kGroupsFull, name, 1);
    return kNoIndex;
  }
  uint32_t first_rank = kNoIndex;
  if (!ranks.empty()) {
    const uint64_t at_rank = reserve(kRanks, ranks.size());
    if (at_rank != kNoIndex) {
      std::memcpy(at(kRanks) + at_rank * sizeof(uint32_t), ranks.data(), ranks.size_bytes());
      commit(kRanks, at_rank + ranks.size());
      first_rank = static_cast<uint32_t>(at_rank);
    } else {
      notSeenLocked(NotSeen::kGroupRanksFull, name, 1);
    }
  }
  const StringId name_id = internLocked(name);
  const StringId desc_id = internLocked(desc);
  const StringId backend_id = internLocked(backend);
  new (&groups()[index]) LedgerGroup{name_id, desc_id, backend_id, size, rank, first_rank, {}};
  commit(kGroups, index + 1);
  return static_cast<uint32_t>(index);
}

std::string_view LedgerWriter::groupName(uint32_t group) const {
  const auto* all = reinterpret_cast<const LedgerGroup*>(base_ + kLedgerLayout.offsets[kGroups]);
  return group == kNoIndex ? std::string_view() : text(all[group].name);
}

uint32_t
LedgerWriter::addModule(uint32_t parent, std::string_view component, std::string_view class_name, uint32_t flags) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t index = reserve(kModules, 1); // before its names take up room
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kModulesFull, component, 1);
    return kNoIndex;
  }
  const StringId component_id = internLocked(component);
  const StringId class_id = internLocked(class_name);
  LedgerModule& module = modules()[index];
  module.parent.store(parent, std::memory_order_relaxed);
  module.component.store(component_id, std::memory_order_relaxed);
  module.class_name = class_id;
  module.flags = flags;
  std::fill(std::begin(module.calls), std::end(module.calls), 0);
  commit(kModules, index + 1);
  return static_cast<uint32_t>(index);
}

void LedgerWriter::reparentModule(uint32_t module, uint32_t parent, std::string_view component) {
  const std::lock_guard<std::mutex> lock(mutex_);
  modules()[module].component.store(internLocked(component), std::memory_order_relaxed);
  modules()[module].parent.store(parent, std::memory_order_release);
}

void LedgerWriter::addParameter(uint32_t module, const LedgerParameterFacts& facts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t index = reserve(kParameters, 1); // before its names take up room
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kParametersFull, facts.name, 1);
    return;
  }
  const LedgerParameter parameter{
      module,
      internLocked(facts.name),
      internLocked(facts.shape),
      internLocked(facts.local_shape),
      internLocked(facts.dtype),
      internLocked(facts.mesh),
      internLocked(facts.placements),
      facts.requires_grad ? 1U : 0U};
  std::memcpy(at(kParameters) + index * sizeof(LedgerParameter), &parameter, sizeof(parameter));
  commit(kParameters, index + 1);
}

/// The row of a key that was not found: another thread's meanwhile, or a new one. `describe` fills in what a row has
/// besides key and counters, which are 0. `what`: whose row does not fit if the table is `full`.
template <typename Row, size_t kSize, typename Describe>
Row* LedgerWriter::addRow(
    LedgerRowIndex<Row, kSize>& index,
    LedgerSectionId id,
    const decltype(Row::key)& key,
    NotSeen full,
    StringId what,
    const Describe& describe) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto* rows = reinterpret_cast<Row*>(at(id));
  if (Row* found = index.find(key, rows)) {
    return found;
  }
  const uint64_t number = reserve(id, 1);
  if (number == kNoIndex) {
    notSeenLocked(full, text(what), 1);
    return nullptr;
  }
  Row& row = rows[number];
  row.key = key;
  describe(row);
  commit(id, number + 1);
  index.add(key, static_cast<uint32_t>(number));
  return &row;
}

LedgerCollective* LedgerWriter::addRow(const CollectiveKey& key) {
  return addRow(row_index_, kCollectives, key, NotSeen::kCollectiveRowsFull, key.op, [&](LedgerCollective& row) {
    row.lane = laneOf(key);
  });
}

/// Needs mutex_.
uint32_t LedgerWriter::laneOf(const CollectiveKey& key) {
  const auto used = static_cast<uint32_t>(used_[kLanes]);
  for (uint32_t lane = 0; lane < used; ++lane) {
    if (lanes()[lane].kind == key.kind && lanes()[lane].group == key.group) {
      return lane;
    }
  }
  if (used == kLaneCount || reserve(kLanes, 1) == kNoIndex) {
    return kLaneCount - 1;
  }
  const bool fits = used + 1 < kLaneCount;
  lanes()[used] = {fits ? key.kind : Kind::kOther, {}, fits ? key.group : kNoIndex};
  commit(kLanes, used + 1);
  return used;
}

LedgerTimes* LedgerWriter::addTimes(LedgerCollective& row) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const uint32_t number = row.times.load(std::memory_order_relaxed); number != 0) {
    return &times()[number - 1];
  }
  const uint64_t index = reserve(kTimes, 1);
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kTimesFull, text(row.key.op), 1);
    return nullptr;
  }
  commtap::forEachCounter(times()[index], [](std::atomic<uint64_t>& counter) { counter = 0; });
  commit(kTimes, index + 1);
  row.times.store(static_cast<uint32_t>(index + 1), std::memory_order_release);
  return &times()[index];
}

void LedgerWriter::countDuration(const LedgerCollective& row, LedgerTimes& times, DurationKind kind, uint64_t ns) {
  addDuration(times.durations[static_cast<size_t>(kind)], ns);
  LedgerStep& step = steps()[0];
  if (kind == DurationKind::kRunning) {
    step.lanes[row.lane].running_ns.fetch_add(ns, std::memory_order_relaxed);
  } else if (kind == DurationKind::kBlocked) {
    step.lanes[row.lane].blocked_ns.fetch_add(ns, std::memory_order_relaxed);
  }
}

void LedgerWriter::closeStep(uint64_t now_ns) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::span<LedgerStep> records(steps(), kLedgerCapacities[kSteps]);
  if (used_[kSteps] == records.size()) {
    commit(kSteps, joinSteps(records, used_[kSteps]));
  }
  const uint64_t number = header().step.load(std::memory_order_relaxed);
  if (reserve(kSteps, 1) != kNoIndex) {
    commit(kSteps, commtap::closeStep(records, used_[kSteps], number, now_ns));
    header().step.store(number + 1, std::memory_order_relaxed);
  } else { // the disk is full: the step that runs goes on
    notSeenLocked(NotSeen::kStepsFull, "", 1);
  }
}

LedgerLast& LedgerWriter::noteLast(uint32_t row, uint64_t sequence, uint64_t bytes, int32_t peer, uint64_t now_ns) {
  const uint64_t ticket = section(kLast).used.fetch_add(1, std::memory_order_relaxed);
  LedgerLast& entry = last()[ticket % kLedgerCapacities[kLast]];
  entry.number.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  entry.sequence = sequence;
  entry.bytes = bytes;
  entry.step = static_cast<uint32_t>(header().step.load(std::memory_order_relaxed));
  entry.issued_at_ns = now_ns;
  entry.started_at_ns.store(0, std::memory_order_relaxed);
  entry.completed_at_ns.store(0, std::memory_order_relaxed);
  entry.row = row;
  entry.peer = peer;
  entry.state.store(static_cast<uint32_t>(LastState::kIssued), std::memory_order_relaxed);
  entry.number.store(ticket + 1, std::memory_order_release);
  return entry;
}

bool LedgerWriter::countOperations(Level level) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!operation_index_.exists()) {
    if (!operation_index_.create()) {
      return false;
    }
    header().cost.index_bytes += operation_index_.kBytes;
  }
  header().level = static_cast<uint32_t>(level);
  return true;
}

LedgerOperation* LedgerWriter::row(const OperationKey& key) {
  if (LedgerOperation* found = operation_index_.find(key, operations())) {
    return found;
  }
  return addRow(
      operation_index_, kOperations, key, NotSeen::kOperationRowsFull, key.op, [](const LedgerOperation& /*row*/) {});
}

bool LedgerWriter::countNccl(uint32_t version) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!nccl_index_.exists()) {
    if (!nccl_index_.create()) {
      return false;
    }
    header().cost.index_bytes += nccl_index_.kBytes;
  }
  header().nccl = version;
  return true;
}

uint32_t LedgerWriter::addCommunicator() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t index = reserve(kCommunicators, 1);
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kNcclFull, "communicators", 1);
    return kNoIndex;
  }
  communicator(static_cast<uint32_t>(index)).group.store(kNoIndex, std::memory_order_relaxed);
  commit(kCommunicators, index + 1);
  return static_cast<uint32_t>(index);
}

LedgerNcclCall* LedgerWriter::row(const NcclKey& key) {
  if (LedgerNcclCall* found = nccl_index_.find(key, ncclCalls())) {
    return found;
  }
  return addRow(nccl_index_, kNcclCalls, key, NotSeen::kNcclFull, key.function, [](const LedgerNcclCall& /*row*/) {});
}

LedgerGraph* LedgerWriter::addGraph() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t index = reserve(kGraphs, 1);
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kGraphTableFull, "graphs", 1);
    return nullptr;
  }
  commit(kGraphs, index + 1);
  return &graphs()[index];
}

void LedgerWriter::addGraphCall(const LedgerGraph& graph, const LedgerCollective& row, LedgerAmount amount) {
  addGraphCall({static_cast<uint32_t>(&graph - graphs()), numberOf(&row), 0, 0, amount.count, amount.bytes});
}

void LedgerWriter::addGraphCall(const LedgerGraph& graph, const LedgerNcclCall& row, LedgerAmount amount) {
  const auto number = static_cast<uint32_t>(&row - ncclCalls());
  addGraphCall({static_cast<uint32_t>(&graph - graphs()), number, 1, 0, amount.count, amount.bytes});
}

void LedgerWriter::addGraphCall(const LedgerGraphCall& call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t index = reserve(kGraphCalls, 1);
  if (index == kNoIndex) {
    notSeenLocked(NotSeen::kGraphTableFull, "calls", 1);
    return;
  }
  std::memcpy(at(kGraphCalls) + index * sizeof(LedgerGraphCall), &call, sizeof(call));
  commit(kGraphCalls, index + 1);
}

void LedgerWriter::notSeen(NotSeen reason, std::string_view detail, uint64_t count) {
  LedgerNotSeen& entry = header().not_seen[static_cast<size_t>(reason)];
  if (entry.count.load(std::memory_order_relaxed) > 0) {
    entry.count.fetch_add(count, std::memory_order_relaxed);
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  notSeenLocked(reason, detail, count);
}

void LedgerWriter::notSeenLocked(NotSeen reason, std::string_view detail, uint64_t count) {
  LedgerNotSeen& entry = header().not_seen[static_cast<size_t>(reason)];
  if (entry.detail.load(std::memory_order_relaxed) == 0) {
    entry.detail.store(internLocked(detail), std::memory_order_relaxed);
  }
  entry.count.fetch_add(count, std::memory_order_relaxed);
}

bool LedgerWriter::publish(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (published()) {
    return true;
  }
  if (!file_.create(path)) {
    return false;
  }
  if (!copyToFile() || !moveIntoFile()) {
    const int error = errno;
    file_.remove();
    file_.close();
    allocated_ = {};
    errno = error;
    return false;
  }
  return true;
}

bool LedgerWriter::copyToFile() {
  const uint64_t head = roundUp(sizeof(LedgerHeader), kLedgerPage);
  if (!file_.resize(kLedgerLayout.size) || !file_.allocate(0, head) || !file_.write(base_, head, 0)) {
    return false;
  }
  for (size_t i = 0; i < kSectionCount; ++i) {
    const uint64_t bytes = used_[i] * kLedgerRecordSizes[i];
    const uint64_t room = roundUp(std::max<uint64_t>(bytes, 1), kLedgerPage);
    if (!file_.allocate(kLedgerLayout.offsets[i], room) ||
        !file_.write(base_ + kLedgerLayout.offsets[i], bytes, kLedgerLayout.offsets[i])) {
      return false;
    }
    allocated_[i] = room;
  }
  return true;
}

/// Maps the file in the memory's place: rows that others hold stay valid, and go on counting in the file. What they
/// counted in memory after it was copied is added then.
bool LedgerWriter::moveIntoFile() {
  std::byte* memory = secondView(base_, kLedgerLayout.size);
  void* view = mmap(nullptr, kLedgerLayout.size, PROT_READ, MAP_SHARED, file_.descriptor(), 0);
  std::vector<uint64_t> copied;
  if (view != MAP_FAILED) { // NOLINT(performance-no-int-to-ptr): MAP_FAILED
    forEachCounter(static_cast<std::byte*>(view), [&](const std::atomic<uint64_t>& count) { copied.push_back(count); });
    munmap(view, kLedgerLayout.size);
  }
  const bool moved =
      memory != nullptr && !copied.empty() &&
      mmap(base_, kLedgerLayout.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_.descriptor(), 0) == base_;
  if (moved) {
    std::vector<uint64_t> last;
    forEachCounter(memory, [&](const std::atomic<uint64_t>& count) { last.push_back(count); });
    size_t i = 0;
    forEachCounter(base_, [&](std::atomic<uint64_t>& count) {
      count.fetch_add(last[i] - copied[i], std::memory_order_relaxed);
      ++i;
    });
  }
  const int error = errno;
  if (memory != nullptr) {
    munmap(memory, kLedgerLayout.size);
  }
  errno = error;
  return moved;
}

/// Every counter that any thread may be adding to, in an image of this ledger at `image`. Needs mutex_.
template <typename Visit>
void LedgerWriter::forEachCounter(std::byte* image, Visit visit) {
  for (LedgerNotSeen& entry : reinterpret_cast<LedgerHeader*>(image)->not_seen) {
    visit(entry.count);
  }
  for (std::atomic<uint64_t>& spent : reinterpret_cast<LedgerHeader*>(image)->cost.spent_ns) {
    visit(spent);
  }
  auto* all_modules = reinterpret_cast<LedgerModule*>(image + kLedgerLayout.offsets[kModules]);
  for (uint64_t i = 0; i < used_[kModules]; ++i) {
    for (std::atomic<uint64_t>& calls : all_modules[i].calls) {
      visit(calls);
    }
  }
  auto* all_groups = reinterpret_cast<LedgerGroup*>(image + kLedgerLayout.offsets[kGroups]);
  for (uint64_t i = 0; i < used_[kGroups]; ++i) {
    visit(all_groups[i].issued[0]);
    visit(all_groups[i].issued[1]);
  }
  auto& open_step = *reinterpret_cast<LedgerStep*>(image + kLedgerLayout.offsets[kSteps]);
  visit(open_step.forward_passes);
  visit(open_step.backward_passes);
  for (LedgerStepLane& lane : open_step.lanes) {
    visit(lane.count);
    visit(lane.bytes);
    visit(lane.running_ns);
    visit(lane.blocked_ns);
  }
  visit(reinterpret_cast<LedgerHeader*>(image)->sections[kLast].used);
  auto* all_rows = reinterpret_cast<LedgerCollective*>(image + kLedgerLayout.offsets[kCollectives]);
  for (uint64_t i = 0; i < used_[kCollectives]; ++i) {
    visit(all_rows[i].count);
    visit(all_rows[i].bytes);
  }
  auto* all_times = reinterpret_cast<LedgerTimes*>(image + kLedgerLayout.offsets[kTimes]);
  for (uint64_t i = 0; i < used_[kTimes]; ++i) {
    commtap::forEachCounter(all_times[i], visit);
  }
  auto* all_calls = reinterpret_cast<LedgerNcclCall*>(image + kLedgerLayout.offsets[kNcclCalls]);
  for (uint64_t i = 0; i < used_[kNcclCalls]; ++i) {
    visit(all_calls[i].count);
    visit(all_calls[i].failed);
    visit(all_calls[i].bytes);
    visit(all_calls[i].captured);
  }
  auto* all_graphs = reinterpret_cast<LedgerGraph*>(image + kLedgerLayout.offsets[kGraphs]);
  for (uint64_t i = 0; i < used_[kGraphs]; ++i) {
    visit(all_graphs[i].launches);
  }
  auto* all_operations = reinterpret_cast<LedgerOperation*>(image + kLedgerLayout.offsets[kOperations]);
  for (uint64_t i = 0; i < used_[kOperations]; ++i) {
    visit(all_operations[i].count);
  }
}

void LedgerWriter::removeFile() const {
  if (published()) {
    file_.remove();
  }
}

void LedgerWriter::repairInForkedChild() {
  // Later records refer to earlier sections, and a published ledger is the parent's, who goes on appending.
  for (uint32_t id = kLast; id-- > 0;) {
    used_[id] = header().sections[id].used.load(std::memory_order_acquire);
  }
  new (&strings_) Strings();
  for (uint64_t offset = sizeof(uint32_t); offset < used_[kStrings];) {
    const std::string_view known = text(static_cast<StringId>(offset));
    strings_.emplace(known, static_cast<StringId>(offset));
    offset += roundUp(sizeof(uint32_t) + known.size(), sizeof(uint32_t));
  }
  indexAll(row_index_, kCollectives);
  indexAll(operation_index_, kOperations);
  indexAll(nccl_index_, kNcclCalls);
  new (&file_) LedgerFile();
}

/// Adds the rows that a thread had no time to add.
template <typename Row, size_t kSize>
void LedgerWriter::indexAll(LedgerRowIndex<Row, kSize>& index, LedgerSectionId id) {
  auto* rows = reinterpret_cast<Row*>(at(id));
  for (uint32_t number = 0; index.exists() && number < used_[id]; ++number) {
    if (index.find(rows[number].key, rows) == nullptr) {
      index.add(rows[number].key, number);
    }
  }
}

void LedgerWriter::resetInForkedChild() {
  if (!moveIntoOwnMemory()) {
    constexpr int kPlain = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    if (mmap(base_, kLedgerLayout.size, PROT_READ | PROT_WRITE, kPlain, -1, 0) == base_) {
      initialize(); // the names are lost, but the parent's ledger is left alone
    }
  }
  file_.close();
  allocated_ = {};
  header().exit.store(static_cast<uint32_t>(ExitKind::kRunning));
  zeroCounters();
}

/// Until now the memory is the parent's, who goes on writing to it: takes what was there at the fork, by used_.
bool LedgerWriter::moveIntoOwnMemory() {
  std::byte* own = newMemory(kLedgerLayout.size);
  if (own == nullptr) {
    return false;
  }
  std::memcpy(own, base_, sizeof(LedgerHeader));
  for (size_t i = 0; i < kSectionCount; ++i) {
    std::memcpy(own + kLedgerLayout.offsets[i], base_ + kLedgerLayout.offsets[i], used_[i] * kLedgerRecordSizes[i]);
  }
  if (mremap(own, kLedgerLayout.size, kLedgerLayout.size, MREMAP_MAYMOVE | MREMAP_FIXED, base_) != base_) {
    munmap(own, kLedgerLayout.size);
    return false;
  }
  for (size_t i = 0; i < kSectionCount; ++i) {
    header().sections[i].used.store(used_[i]);
  }
  return true;
}

void LedgerWriter::zeroCounters() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (LedgerNotSeen& entry : header().not_seen) {
    entry.detail.store(0);
  }
  forEachCounter(base_, [](std::atomic<uint64_t>& count) { count.store(0, std::memory_order_relaxed); });
  for (uint64_t i = 0; i < kLedgerCapacities[kLast]; ++i) {
    last()[i].number.store(0, std::memory_order_relaxed);
  }
  steps()[0].first_step = 0;
  commit(kSteps, 1);
  header().step = 0;
}

} // namespace commtap
