// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "report/ledger/ledger_file.h"
#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_layout.h"
#include "report/ledger/ledger_row_index.h"

namespace commtap {

struct LedgerParameterFacts {
  std::string_view name;
  std::string_view shape;       ///< JSON array text
  std::string_view local_shape; ///< JSON array text
  std::string_view dtype;
  std::string_view mesh;       ///< JSON object text or ""
  std::string_view placements; ///< JSON array text or ""
  bool requires_grad = false;
};

/// Calls of one row, together. Modulo 2^64, so that a negative one takes calls back.
struct LedgerAmount {
  uint64_t count = 0;
  uint64_t bytes = 0; ///< payload

  LedgerAmount& operator+=(const LedgerAmount& other) {
    count += other.count;
    bytes += other.bytes;
    return *this;
  }
};

/// Writes one process's ledger. It starts in memory that no file stands behind, so that a process that never
/// communicates leaves no trace; publish() moves it into a file at the same address. Every method may be called from
/// any thread and none throws. None allocates once the row, string or module in question exists. Only intern() and the
/// methods that add a record lock.
class LedgerWriter {
 public:
  /// nullptr if there is no memory for it.
  static std::unique_ptr<LedgerWriter> create();

  LedgerWriter(const LedgerWriter&) = delete;
  LedgerWriter& operator=(const LedgerWriter&) = delete;
  ~LedgerWriter();

  LedgerHeader& header() {
    return *reinterpret_cast<LedgerHeader*>(base_);
  }

  StringId intern(std::string_view text);
  std::string_view text(StringId id) const;

  /// `ranks`: global ranks, empty if they are not known. kNoIndex if the table is full.
  uint32_t addGroup(
      std::string_view name,
      std::string_view desc,
      std::string_view backend,
      uint32_t size,
      uint32_t rank,
      std::span<const uint32_t> ranks);

  /// "" for kNoIndex.
  std::string_view groupName(uint32_t group) const;

  /// kNoIndex if the table is full.
  uint32_t addModule(uint32_t parent, std::string_view component, std::string_view class_name, uint32_t flags);
  /// A module that was called as a root turned out to be another's child.
  void reparentModule(uint32_t module, uint32_t parent, std::string_view component);
  void addParameter(uint32_t module, const LedgerParameterFacts& facts);
  void countModuleCall(uint32_t module, Phase phase) {
    modules()[module].calls[static_cast<size_t>(phase)].fetch_add(1, std::memory_order_relaxed);
  }

  /// nullptr if the table is full (counted as not seen).
  LedgerCollective* row(const CollectiveKey& key) {
    LedgerCollective* found = row_index_.find(key, rows());
    return found != nullptr ? found : addRow(key);
  }

  /// The row's number, by which the last collectives name it; kNoIndex for nullptr.
  uint32_t numberOf(const LedgerCollective* row) const {
    return row == nullptr ? kNoIndex : static_cast<uint32_t>(row - rows());
  }
  /// Where the durations of a row are added up; nullptr if there is no room (counted as not seen).
  LedgerTimes* timesOf(LedgerCollective& row) {
    const uint32_t number = row.times.load(std::memory_order_acquire);
    return number != 0 ? &times()[number - 1] : addTimes(row);
  }
  /// One more duration, also in the step that runs. `times`: the row's.
  void countDuration(const LedgerCollective& row, LedgerTimes& times, DurationKind kind, uint64_t ns);

  /// In the row and in the step that runs.
  void count(LedgerCollective& row, LedgerAmount amount) {
    row.bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
    row.count.fetch_add(amount.count, std::memory_order_relaxed);
    LedgerStepLane& lane = openStep().lanes[row.lane];
    lane.count.fetch_add(amount.count, std::memory_order_relaxed);
    lane.bytes.fetch_add(amount.bytes, std::memory_order_relaxed);
  }
  LedgerStep& openStep() {
    return steps()[0];
  }
  /// The step that runs is over. `now_ns`: steady clock.
  void closeStep(uint64_t now_ns);

  /// This group's next collective, or send or receive: from 1. 0 for kNoIndex.
  uint64_t nextSequence(uint32_t group, bool point_to_point) {
    return group == kNoIndex
               ? 0
               : groups()[group].issued[point_to_point ? 1 : 0].fetch_add(1, std::memory_order_relaxed) + 1;
  }
  /// Takes the place of the oldest of the last collectives; its number, clock and state are set here.
  LedgerLast& noteLast(uint32_t row, uint64_t sequence, uint64_t bytes, int32_t peer, uint64_t now_ns);

  /// From now on ops are counted too. False if there is no memory for it.
  bool countOperations(Level level);
  /// nullptr if the table is full (counted as not seen). Only after countOperations().
  LedgerOperation* row(const OperationKey& key);

  /// From now on calls to NCCL are counted too. False if there is no memory for it.
  bool countNccl(uint32_t version);
  /// A communicator that was not seen before; kNoIndex if the table is full (counted as not seen).
  uint32_t addCommunicator();
  LedgerCommunicator& communicator(uint32_t index) {
    return reinterpret_cast<LedgerCommunicator*>(at(kCommunicators))[index];
  }
  /// nullptr if the table is full (counted as not seen). Only after countNccl().
  LedgerNcclCall* row(const NcclKey& key);

  /// A CUDA graph that communicates; nullptr if the table is full (counted as not seen).
  LedgerGraph* addGraph();
  /// One launch of `graph` makes these calls. Counted as not seen if the table is full.
  void addGraphCall(const LedgerGraph& graph, const LedgerCollective& row, LedgerAmount amount);
  void addGraphCall(const LedgerGraph& graph, const LedgerNcclCall& row, LedgerAmount amount);

  void notSeen(NotSeen reason, std::string_view detail, uint64_t count = 1);

  bool published() const {
    return file_.isOpen();
  }
  /// Moves the ledger into `path`, which must not exist. False with errno set; the ledger then stays in memory.
  /// Other threads go on counting meanwhile, and nothing that they count is lost.
  bool publish(const std::string& path);
  const std::string& path() const {
    return file_.path();
  }
  /// The report is written: takes the file away. The memory stays, for threads that still count.
  void removeFile() const;

  /// All counts, bytes, module calls and not-seen entries start at 0 again; what other threads add meanwhile may stay.
  void zeroCounters();

  /// What appends take turns by, for a process that forks.
  std::mutex& appending() {
    return mutex_;
  }
  /// The child of a fork in whose parent a thread was perhaps appending: keeps what readers can see. To be followed by
  /// resetInForkedChild().
  void repairInForkedChild();
  /// The child of a fork: leaves the parent's file alone, keeps the names, starts all counters at 0 in own memory.
  void resetInForkedChild();

  /// Everything written so far, for LedgerReader.
  std::span<const std::byte> bytes() const {
    return {base_, kLedgerLayout.size};
  }

 private:
  /// Finds a std::string_view without making a std::string of it.
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Strings = std::unordered_map<std::string, StringId, TextHash, std::equal_to<>>;

  LedgerWriter() = default;

  LedgerSection& section(LedgerSectionId id) {
    return header().sections[id];
  }
  std::byte* at(LedgerSectionId id) {
    return base_ + kLedgerLayout.offsets[id];
  }
  LedgerModule* modules() {
    return reinterpret_cast<LedgerModule*>(at(kModules));
  }
  LedgerCollective* rows() const {
    return reinterpret_cast<LedgerCollective*>(base_ + kLedgerLayout.offsets[kCollectives]);
  }
  LedgerTimes* times() {
    return reinterpret_cast<LedgerTimes*>(at(kTimes));
  }
  LedgerGroup* groups() {
    return reinterpret_cast<LedgerGroup*>(at(kGroups));
  }
  LedgerLane* lanes() {
    return reinterpret_cast<LedgerLane*>(at(kLanes));
  }
  LedgerStep* steps() {
    return reinterpret_cast<LedgerStep*>(at(kSteps));
  }
  LedgerLast* last() {
    return reinterpret_cast<LedgerLast*>(at(kLast));
  }
  LedgerOperation* operations() {
    return reinterpret_cast<LedgerOperation*>(at(kOperations));
  }
  LedgerNcclCall* ncclCalls() {
    return reinterpret_cast<LedgerNcclCall*>(at(kNcclCalls));
  }
  LedgerGraph* graphs() {
    return reinterpret_cast<LedgerGraph*>(at(kGraphs));
  }

  void initialize();
  uint64_t reserve(LedgerSectionId id, uint64_t records);
  void commit(LedgerSectionId id, uint64_t used);
  bool allocateUpTo(LedgerSectionId id, uint64_t records);
  StringId internLocked(std::string_view text);
  LedgerCollective* addRow(const CollectiveKey& key);
  template <typename Row, size_t kSize, typename Describe>
  Row* addRow(
      LedgerRowIndex<Row, kSize>& index,
      LedgerSectionId id,
      const decltype(Row::key)& key,
      NotSeen full,
      StringId what,
      const Describe& describe);
  template <typename Row, size_t kSize>
  void indexAll(LedgerRowIndex<Row, kSize>& index, LedgerSectionId id);
  uint32_t laneOf(const CollectiveKey& key);
  LedgerTimes* addTimes(LedgerCollective& row);
  void addGraphCall(const LedgerGraphCall& call);
  void notSeenLocked(NotSeen reason, std::string_view detail, uint64_t count);
  template <typename Visit>
  void forEachCounter(std::byte* image, Visit visit);
  bool copyToFile();
  bool moveIntoFile();
  bool moveIntoOwnMemory();

  std::byte* base_ = nullptr;
  std::array<uint64_t, kSectionCount> allocated_{}; ///< bytes of each section that the file system has promised
  std::array<uint64_t, kSectionCount> used_{}; ///< as in the header, but this process's own also right after a fork
  LedgerFile file_;
  std::mutex mutex_; ///< appends; a reader of published records needs no lock
  Strings strings_;
  LedgerRowIndex<LedgerCollective, (128U << 10U)> row_index_; ///< twice the rows
  LedgerRowIndex<LedgerOperation, (128U << 10U)> operation_index_;
  LedgerRowIndex<LedgerNcclCall, (32U << 10U)> nccl_index_; ///< created by countNccl()
};

} // namespace commtap
