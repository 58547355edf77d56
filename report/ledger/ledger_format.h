// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The ledger: one sparse file per process. The process maps and writes it; any process may read it at any moment.
//
//   Header | strings | ranks | groups | modules | parameters | times | collectives | operations |
//           communicators | nccl calls | graphs | graph calls | lanes | steps | last | sequences | members |
//           split peers | splits | stalls | open calls
//
// Invariants that keep it readable at every instant, also after SIGKILL:
//  - offsets and indices, never pointers; all integers little-endian, as on every platform that torch supports;
//  - records are appended: written whole, then published by a release store to the section's `used`;
//  - after that only fields marked "live" change, each by one atomic store or add;
//  - what never changes is checked: records and strings by a `check` (ledger_checks.h). Live fields have no check: a
//    reader holds indices and ids against the bounds of the file;
//  - the type of a member says what it is. A plain number or a key never changes and is checked, an
//    std::atomic<uint64_t> is a counter (ledger_checks.h), any other atomic is live, bytes are not used. kMembers is
//    the number of a record's members: a new one does not compile until it is counted;
//  - a change of any layout below changes kLedgerVersion.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "report/model/durations.h"
#include "report/model/not_seen.h"
#include "report/model/stretches.h"
#include "report/model/vocabulary.h"

namespace commtap {

inline constexpr char kLedgerMagic[8] = {'c', 'o', 'm', 'm', 't', 'a', 'p', '\n'};
inline constexpr uint32_t kLedgerVersion = 24;

/// Stands for no index.
inline constexpr uint32_t kNoIndex = 0xffffffffU;

/// A live number that is no counter: it is stored, not added to.
struct LiveNumber : std::atomic<uint64_t> {
  using std::atomic<uint64_t>::atomic;
  using std::atomic<uint64_t>::operator=;
};

/// The offset of a string in the strings section. 0 is the empty string.
using StringId = uint32_t;
/// Begins each string; the bytes follow.
struct LedgerString {
  uint32_t length;
  uint32_t check;
};
inline constexpr uint32_t kMaxString = 16384; ///< bytes; longer names are cut

/// Module 0 always exists: "Global", the parent of every root module.
inline constexpr uint32_t kGlobalModule = 0;
inline constexpr uint32_t kMaxRank = 1U << 24U;

struct LedgerSection {
  uint64_t offset;      ///< from the start of the file, bytes; page aligned
  uint64_t capacity;    ///< in records (strings: bytes)
  uint32_t record_size; ///< bytes
  uint32_t reserved;
  std::atomic<uint64_t> used; ///< live; in records (strings: bytes), with a check: see usedWithCheck()
};

enum LedgerSectionId : uint8_t {
  kStrings,
  kRanks,
  kGroups,
  kModules,
  kParameters,
  kTimes, ///< before the rows that name them: a reader goes back to front, so it finds the times of each row
  kCollectives,
  kOperations,
  kCommunicators,
  kNcclCalls,
  kGraphs,
  kGraphCalls,
  kLanes,
  kSteps,
  kLast, ///< a ring: `used` counts all records ever written, without a check
  kSequences,
  kMembers,
  kSplitPeers,
  kSplits,
  kStalls, ///< after the times: a reader, which goes back to front, finds no stall that the times lack
  kOpenCalls,
  kSectionCount,
};

struct LedgerNotSeen {
  static constexpr size_t kMembers = 3;
  std::atomic<uint64_t> count;  ///< live
  std::atomic<StringId> detail; ///< live; describes the first occurrence
  std::byte reserved[4];
};

/// The parts of commtap's own work that are measured.
enum class CostPart : uint8_t { kCollectives, kModuleCalls, kOther };
inline constexpr size_t kCostPartCount = 3;

/// The time and memory that commtap takes in the process.
struct LedgerCost {
  static constexpr size_t kMembers = 4;
  uint64_t start_ns;                              ///< from finding torch until all hooks are installed
  std::atomic<uint64_t> spent_ns[kCostPartCount]; ///< live; by CostPart, most of it extrapolated from samples
  LiveNumber index_bytes;                         ///< memory of the indexes of rows; a snapshot reads it while it grows
  LiveNumber thread_bytes;                        ///< live; the most that the states of all threads can take
};

struct LedgerHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_size;            ///< bytes
  std::atomic<uint32_t> check;     ///< of the fields that are not live; 0: they may change
  std::atomic<uint32_t> end_check; ///< live; of exit, exit_code and ended_at_ns, written after them; 0: running
  std::atomic<uint32_t> exit;      ///< live; ExitKind
  int32_t exit_code; ///< the signal's number for kSignal, 1 + the status for kNormal and kUnderscoreExit; 0: not known
  uint64_t pid;
  uint64_t pid_start_ticks;          ///< /proc/PID/stat field 22: with pid, identifies a process
  uint64_t started_at_ns;            ///< CLOCK_REALTIME
  uint64_t parent_pid;               ///< the process that started this one
  uint64_t run_began_ns;             ///< CLOCK_REALTIME; see runBeganNs()
  std::atomic<uint64_t> ended_at_ns; ///< live; CLOCK_REALTIME, 0 while running
  int64_t rank;                      ///< -1: none
  int64_t world_size;                ///< -1: unknown
  int64_t local_rank;                ///< -1: unknown
  int64_t attempt;                   ///< torchrun's restart count
  StringId run_id;
  StringId name; ///< the run's name for people
  StringId host;
  StringId boot_id; ///< /proc/sys/kernel/random/boot_id: the boot for which pid is valid
  StringId argv;    ///< the arguments, joined by '\n' escapes as a JSON array text
  StringId torch_version;
  StringId python_version;
  StringId commtap_version;
  StringId report_name;       ///< the report's path below the output folder, without ".json"
  uint32_t level;             ///< Level
  uint32_t timing_every;      ///< Timing::every
  uint32_t timing_device;     ///< Timing::device
  std::atomic<uint32_t> nccl; ///< NCCL's version, 10000 * major + 100 * minor + patch; 0: never called
  uint32_t resets;            ///< how often the job set the counters to 0
  /// Live; the number of a deadly signal that the launcher sent, written by the launcher; 0: none.
  std::atomic<uint32_t> signal_sent;
  std::atomic<uint64_t> signal_sent_at_ns; ///< live; CLOCK_REALTIME, written by the launcher before signal_sent
  /// Live; the number of the signal that ended the process, written by its parent; 0: none is known.
  std::atomic<uint32_t> ended_by;
  std::byte reserved[4];
  std::atomic<uint64_t> step;     ///< live; the number of the running step, from 0
  uint64_t realtime_minus_steady; ///< ns, modulo 2^64; added to the times below gives CLOCK_REALTIME
  LedgerSection sections[kSectionCount];
  LedgerNotSeen not_seen[kNotSeenCount];
  LedgerCost cost;
  std::atomic<uint32_t> steps_from; ///< live; 1 + the StepSign that ended the last step, or ends the first; 0: none
  uint32_t planned;                 ///< 1: `commtap plan` ran the process, and nothing was communicated
};

struct LedgerGroup {
  static constexpr size_t kMembers = 11;
  StringId name;
  StringId desc;
  StringId backend;
  uint32_t size;
  uint32_t rank;       ///< this process's rank in the group
  uint32_t first_rank; ///< index in the ranks section of `size` uint32_t global ranks; kNoIndex: not known
  uint32_t ranks_check;
  uint32_t check;
  std::atomic<uint64_t> issued[2]; ///< live; number of collectives, and of sends and receives
  std::atomic<StringId> dimension; ///< live; of a DeviceMesh; "": none; kNoIndex: several
  std::atomic<uint32_t> destroyed; ///< live; 1 once the process has destroyed all its groups
};

struct LedgerModule {
  static constexpr size_t kMembers = 7;
  std::atomic<uint32_t> parent;    ///< live (a root may turn out to be a child); kNoIndex only for Global
  std::atomic<StringId> component; ///< live with parent; this module's part of the name, "net1" or "layers.0"
  StringId class_name;             ///< the user's class, after those by which libraries swapped it: "FSDPModule/Net"
  uint32_t flags;                  ///< kModule*
  uint32_t check;
  std::atomic<StringId> clean; ///< live with parent; the component in clean names; "": the same; kNoIndex: none
  std::atomic<uint64_t> calls[kPhaseCount]; ///< live; by Phase
};
/// The component is a wrapper's (`_orig_mod`, DDP's `module`, ...): in the raw name, not in the clean one.
inline constexpr uint32_t kModuleWrapperComponent = 1;

struct LedgerParameter {
  static constexpr size_t kMembers = 9;
  uint32_t module;
  StringId name;
  StringId shape;       ///< JSON array text, e.g. "[16,10]"
  StringId local_shape; ///< JSON array text; equal to shape for a plain tensor
  StringId dtype;
  StringId mesh;       ///< JSON object text; "" for a plain tensor
  StringId placements; ///< JSON array text; "" for a plain tensor
  uint32_t requires_grad;
  uint32_t check;
};

/// Packs fields of a key into one number, in registers: 32-bit stores read back as one 64-bit load fail store
/// forwarding.
constexpr uint64_t wordOf(uint32_t low, uint32_t high) {
  return low | (uint64_t{high} << 32U);
}
constexpr uint32_t wordOf(uint8_t first, uint8_t second, uint8_t third, uint8_t fourth) {
  return first | (uint32_t{second} << 8U) | (uint32_t{third} << 16U) | (uint32_t{fourth} << 24U);
}

inline constexpr uint8_t kSizeClassBits = 0x7f;

/// The key of a row of collectives: there is one row per combination that occurs.
struct CollectiveKey {
  uint32_t module;    ///< attributed module
  uint32_t issued_in; ///< issuing module
  StringId op;
  uint32_t group; ///< kNoIndex: none known
  StringId dtype;
  StringId reduce_op; ///< "" for none
  Kind kind;
  Phase phase;
  AsyncOp async_op : 7;
  uint8_t setup : 1;      ///< 1 before the first forward of the process; so in a process without forwards, too
  uint8_t size_class : 7; ///< sizeClass() of the payload: makes a histogram of sizes
  uint8_t compiled : 1;   ///< 1 if the code of a compiled graph issued it
  StringId label;         ///< what the job does, for a collective outside of every module; "" if not known

  /// All of it, for comparing and hashing.
  constexpr std::array<uint64_t, 4> words() const {
    return {
        wordOf(module, issued_in),
        wordOf(op, group),
        wordOf(dtype, reduce_op),
        wordOf(
            wordOf(
                static_cast<uint8_t>(kind),
                static_cast<uint8_t>(phase),
                static_cast<uint8_t>(static_cast<uint8_t>(async_op) | setup << 7U),
                static_cast<uint8_t>(size_class | compiled << 7U)),
            label)};
  }
};

/// Returns the class of a payload, by powers of two: 0 for none, else 1 + floor(log2(bytes)). Class n > 0 begins at
/// 2^(n - 1) bytes.
constexpr uint8_t sizeClass(uint64_t bytes) {
  return static_cast<uint8_t>(std::bit_width(bytes));
}
inline constexpr uint8_t kMaxSizeClass = 64;
/// Returns the smallest payload of a class, in bytes.
constexpr uint64_t sizeClassStart(uint8_t size_class) {
  return size_class == 0 ? 0 : uint64_t{1} << (size_class - 1U);
}

struct LedgerCollective {
  static constexpr size_t kMembers = 7;
  CollectiveKey key;
  uint32_t check;
  std::atomic<StringId> lowered[2]; ///< live; the ops that this op called; 0: none
  uint16_t lane;                    ///< index of its kind and group in the lanes section
  std::atomic<uint16_t> times;      ///< live; 1 + the number of its record in the times section; 0: none. Not read
                                    ///< from a file, where the record names its row
  std::atomic<uint64_t> count;      ///< live
  std::atomic<uint64_t> bytes;      ///< live; sum of the payloads, the S of nccl-tests
};

/// Every field is live.
struct LedgerDurations {
  static constexpr size_t kMembers = 4;
  std::atomic<uint64_t> sum_ns;
  std::atomic<uint64_t> max_ns;
  std::atomic<uint64_t> min_ns_inverted; ///< ~min: in a new record, all zeros, no duration is the shortest
  std::atomic<uint64_t> counts[kDurationClasses];
};

/// The durations of one row's collectives that are timed.
struct LedgerTimes {
  static constexpr size_t kMembers = 4;
  LedgerDurations durations[kDurationKindCount]; ///< by DurationKind
  std::atomic<uint64_t> bytes;                   ///< live; payload of the collectives in DurationKind::kRunning
  uint32_t row;                                  ///< in the collectives section
  uint32_t check;
};

/// The key of a row of ops, used only at Level::kDtensor and Level::kOps.
struct OperationKey {
  uint32_t module; ///< issuing module
  StringId op;
  Phase phase;
  uint8_t dtensor;     ///< 1 if an argument was a DTensor
  uint8_t reserved[2]; ///< 0

  /// All of it, for comparing and hashing.
  constexpr std::array<uint64_t, 2> words() const {
    return {wordOf(module, op), wordOf(static_cast<uint8_t>(phase), dtensor, 0, 0)};
  }
};

struct LedgerOperation {
  static constexpr size_t kMembers = 3;
  OperationKey key;
  uint32_t check;
  std::atomic<uint64_t> count; ///< live
};

/// An NCCL communicator. Another one may have the same address later.
struct LedgerCommunicator {
  static constexpr size_t kMembers = 4;
  std::atomic<uint32_t> size;  ///< live; number of ranks; 0: not known yet
  std::atomic<uint32_t> rank;  ///< live with size; this process's rank
  std::atomic<uint32_t> group; ///< live; the group of the first collective on it; kNoIndex: none
  std::byte reserved[4];
};

/// The key of a row of calls to NCCL.
struct NcclKey {
  StringId function;
  uint32_t communicator; ///< kNoIndex: the call names none
  StringId op;           ///< the collective op that made the call; 0: none
  uint32_t group;        ///< the op's group; kNoIndex: none
  uint32_t module;       ///< attributed module
  Phase phase;
  uint8_t datatype;       ///< ncclDataType_t; kNoDatatype: the call has none
  uint8_t in_group;       ///< 1 between ncclGroupStart and ncclGroupEnd
  uint8_t told_by_plugin; ///< 1: reported by NCCL's profiler plugin, which does not know in_group

  /// All of it, for comparing and hashing.
  constexpr std::array<uint64_t, 3> words() const {
    return {
        wordOf(function, communicator),
        wordOf(op, group),
        wordOf(module, wordOf(static_cast<uint8_t>(phase), datatype, in_group, told_by_plugin))};
  }
};
inline constexpr uint8_t kNoDatatype = 0xff;

struct LedgerNcclCall {
  static constexpr size_t kMembers = 7;
  NcclKey key;
  uint32_t check;
  std::byte reserved[4];
  std::atomic<uint64_t> count;    ///< live; calls made or replayed, including failed ones
  std::atomic<uint64_t> failed;   ///< live
  std::atomic<uint64_t> bytes;    ///< live; sum of the payloads, the S of nccl-tests, of calls that did not fail
  std::atomic<uint64_t> captured; ///< live; calls that became part of a CUDA graph; its launches add to `count`
};

/// A CUDA graph that communicates.
struct LedgerGraph {
  static constexpr size_t kMembers = 1;
  std::atomic<uint64_t> launches; ///< live
};

/// The calls of one row that each launch of a graph makes.
struct LedgerGraphCall {
  static constexpr size_t kMembers = 6;
  uint32_t graph;
  uint32_t row;     ///< number in the section of collectives, or of calls to NCCL
  uint32_t of_nccl; ///< 1: `row` is a call to NCCL
  uint32_t check;
  uint64_t count;
  uint64_t bytes;
};

/// A kind and group that steps count separately. The last lane takes all kinds and groups without a lane.
struct LedgerLane {
  static constexpr size_t kMembers = 4;
  Kind kind;
  std::byte reserved[3];
  uint32_t group; ///< kNoIndex: none known
  uint32_t check;
};
inline constexpr uint32_t kLaneCount = 32;

/// One lane's counts in a step. Every field is live.
struct LedgerStepLane {
  static constexpr size_t kMembers = 4;
  std::atomic<uint64_t> count;
  std::atomic<uint64_t> bytes;
  std::atomic<uint64_t> running_ns; ///< of collectives that completed in this step
  std::atomic<uint64_t> exposed_ns;
};

/// Record 0 is the running step. The others are completed steps, in order and without a gap. Each of the first
/// kExactSteps has its own record. When the section is full, the rest are joined in pairs.
struct LedgerStep {
  static constexpr size_t kMembers = 9;
  LiveNumber first_step;
  LiveNumber steps;         ///< number of steps summed here
  LiveNumber started_at_ns; ///< steady clock
  LiveNumber ended_at_ns;   ///< steady clock; 0 for the running step
  std::atomic<uint64_t> forward_passes;
  std::atomic<uint64_t> backward_passes;
  std::atomic<uint64_t> closure_passes; ///< those of them that closures of optimizers made
  std::atomic<uint64_t> training_steps; ///< those of `steps` that trained; of the running step, whether it has
  LedgerStepLane lanes[kLaneCount];
};
inline constexpr uint64_t kExactSteps = 16;

/// An entry of the ring of last collectives. Written in place: `number` is 0 while an entry is being written. Times are
/// steady clock.
struct LedgerLast {
  static constexpr size_t kMembers = 10;
  LiveNumber number; ///< position among all collectives of this process, from 1
  uint64_t sequence; ///< position in its group, from 1; sends and receives are numbered separately
  uint64_t bytes;
  uint64_t issued_at_ns;
  LiveNumber started_at_ns;   ///< 0: not known
  LiveNumber completed_at_ns; ///< 0: not known
  uint32_t step;
  uint32_t row; ///< in the collectives section; kNoIndex: the table was full
  int32_t peer; ///< rank in the group: the other one of a send or receive, or the root of a collective; -1: none
  std::atomic<uint32_t> state; ///< LastState
};

/// The sums of some stretches of a group's collectives (stretches.h), by which ranks are compared. Sends and receives
/// are not in it.
struct LedgerSequence {
  static constexpr size_t kMembers = 5;
  uint32_t group;
  uint32_t part; ///< the number of the first stretch by kStretchesPerPart
  uint32_t check;
  std::byte reserved[4];
  std::atomic<uint64_t> sums[kStretchesPerPart]; ///< live
};
/// A collective adds up to 2^kSequenceBits to the sum of its stretch, so sums do not wrap around.
inline constexpr uint32_t kSequenceBits = 20;

/// The key of a module's part in a row of collectives.
struct MemberKey {
  uint32_t row; ///< in the collectives section
  uint32_t module;

  /// All of it, for comparing and hashing.
  constexpr std::array<uint64_t, 1> words() const {
    return {wordOf(row, module)};
  }
};

struct LedgerMember {
  static constexpr size_t kMembers = 6;
  MemberKey key;
  uint32_t check;
  std::byte reserved[4];
  std::atomic<uint64_t> count;   ///< live; collectives of the module that were merged into the row's
  std::atomic<uint64_t> bytes;   ///< live; their part of the row's payload
  std::atomic<uint64_t> changes; ///< live; of the module's buffers, seen or possible
};

/// What the calls of a row move to or from one peer, over all calls with split sizes.
struct LedgerSplitPeer {
  static constexpr size_t kMembers = 1;
  std::atomic<uint64_t> bytes; ///< live
};
/// A row whose calls have more parts has no records of peers.
inline constexpr uint32_t kMostSplitPeers = 1024;

/// The key of the split sizes of a row of collectives. The ranks of a row whose group is not known may be several.
struct SplitsKey {
  uint32_t row;   ///< in the collectives section
  uint32_t peers; ///< number of parts of each call

  /// All of it, for comparing and hashing.
  constexpr std::array<uint64_t, 1> words() const {
    return {wordOf(row, peers)};
  }
};

struct LedgerSplits {
  static constexpr size_t kMembers = 8;
  SplitsKey key;
  uint32_t check;
  uint32_t first_peer; ///< index in the section of split peers, by rank in the group; kNoIndex: there are no records of
                       ///< peers
  std::atomic<uint64_t> calls;         ///< live; with split sizes
  std::atomic<uint64_t> imbalance_sum; ///< live; imbalanceOf() of each call
  std::atomic<uint64_t> imbalance_max; ///< live
  std::atomic<uint64_t> zero_peers;    ///< live; parts of 0 bytes
  std::atomic<uint64_t> received_more; ///< live; Splits::received_more
};

/// The key of the time in which a thread or stream of a module stood still because of a row's collectives.
struct StallKey {
  uint32_t row;    ///< in the collectives section
  uint32_t module; ///< the one that stood still
  Phase phase;     ///< of `module`

  /// All of it, for comparing and hashing.
  constexpr std::array<uint64_t, 2> words() const {
    return {wordOf(row, module), static_cast<uint64_t>(phase)};
  }
};

/// A part of the DurationKind::kExposed of a row.
struct LedgerStall {
  static constexpr size_t kMembers = 4;
  StallKey key;
  uint32_t check;
  std::atomic<uint64_t> count;      ///< live
  std::atomic<uint64_t> exposed_ns; ///< live
};

/// A call to NCCL, or one that makes a process group, that a thread has entered. The record is free for the next call
/// once the call has returned.
struct LedgerOpenCall {
  static constexpr size_t kMembers = 4;
  LiveNumber entered_at_ns; ///< live; steady clock; 0: free; 1: being written
  LiveNumber call;          ///< live; function (StringId) and group of the call
  LiveNumber check;         ///< live; of the fields above
  std::byte reserved[40];   ///< a cache line for each thread
};
/// As many calls can be open at a time; those of more threads are not noted.
inline constexpr uint32_t kMostOpenCalls = 64;

static_assert(
    std::atomic<uint64_t>::is_always_lock_free && sizeof(std::atomic<uint64_t>) == 8 && sizeof(LiveNumber) == 8);
static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);
static_assert(std::atomic<uint16_t>::is_always_lock_free && sizeof(std::atomic<uint16_t>) == 2);
static_assert(sizeof(LedgerSection) == 32);
static_assert(sizeof(LedgerNotSeen) == 16);
static_assert(sizeof(LedgerGroup) == 56);
static_assert(sizeof(LedgerModule) == 64);
static_assert(sizeof(LedgerParameter) == 36);
static_assert(sizeof(CollectiveKey) == 32);
static_assert(sizeof(LedgerCollective) == 64);
static_assert(sizeof(OperationKey) == 12);
static_assert(sizeof(LedgerOperation) == 24);
static_assert(sizeof(LedgerCommunicator) == 16);
static_assert(sizeof(NcclKey) == 24);
static_assert(sizeof(LedgerNcclCall) == 64);
static_assert(sizeof(LedgerGraph) == 8);
static_assert(sizeof(LedgerGraphCall) == 32);
static_assert(sizeof(LedgerLane) == 12);
static_assert(sizeof(LedgerDurations) == 24 + 8 * kDurationClasses);
static_assert(sizeof(LedgerTimes) == 16 + kDurationKindCount * sizeof(LedgerDurations));
static_assert(sizeof(LedgerStep) == 64 + 32 * kLaneCount);
static_assert(sizeof(LedgerLast) == 64);
static_assert(sizeof(LedgerSequence) == 16 + 8 * kStretchesPerPart);
static_assert(sizeof(LedgerMember) == 40);
static_assert(sizeof(LedgerSplitPeer) == 8);
static_assert(sizeof(LedgerSplits) == 56);
static_assert(sizeof(StallKey) == 12);
static_assert(sizeof(LedgerStall) == 32);
static_assert(sizeof(LedgerOpenCall) == 64);

} // namespace commtap
