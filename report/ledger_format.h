// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The ledger: one sparse file per process, mapped by the process that writes it and read by anyone, at any moment.
//
//   Header | strings | ranks | groups | modules | parameters | collectives | operations
//
// Rules that keep it readable at every instant, also after SIGKILL:
//  - offsets and indices, never pointers; all integers little-endian, as on every platform that torch supports;
//  - records are appended: written whole, then published by a release store to the section's `used`;
//  - after that only fields marked "live" change, each by one atomic store or add;
//  - a change of any layout below changes kLedgerVersion.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "report/not_seen.h"
#include "report/vocabulary.h"

namespace commtap {

inline constexpr char kLedgerMagic[8] = {'c', 'o', 'm', 'm', 't', 'a', 'p', '\n'};
inline constexpr uint32_t kLedgerVersion = 2;

/// Offset of a string in the strings section: a uint32_t length, then the bytes. 0 is the empty string.
using StringId = uint32_t;

inline constexpr uint32_t kNoIndex = 0xffffffffU;
/// Module 0 always exists: "Global", the parent of every root module.
inline constexpr uint32_t kGlobalModule = 0;
inline constexpr uint32_t kMaxRank = 1U << 24U;

struct LedgerSection {
  uint64_t offset;      ///< from the start of the file, bytes; page aligned
  uint64_t capacity;    ///< in records (strings: bytes)
  uint32_t record_size; ///< bytes
  uint32_t reserved;
  std::atomic<uint64_t> used; ///< live; in records (strings: bytes)
};

enum LedgerSectionId : uint8_t {
  kStrings,
  kRanks,
  kGroups,
  kModules,
  kParameters,
  kCollectives,
  kOperations,
  kSectionCount,
};

struct LedgerNotSeen {
  std::atomic<uint64_t> count;  ///< live
  std::atomic<StringId> detail; ///< live; the first thing that it happened to
  uint32_t reserved;
};

struct LedgerHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_size;       ///< bytes
  std::atomic<uint32_t> exit; ///< live; ExitKind
  int32_t exit_signal;        ///< 0, or the signal's number when exit is kSignal
  uint64_t pid;
  uint64_t pid_start_ticks;          ///< /proc/PID/stat field 22: with pid, names a process for good
  uint64_t started_at_ns;            ///< CLOCK_REALTIME
  std::atomic<uint64_t> ended_at_ns; ///< live; CLOCK_REALTIME, 0 while running
  int64_t rank;                      ///< -1: none
  int64_t world_size;                ///< -1: unknown
  int64_t local_rank;                ///< -1: unknown
  int64_t attempt;                   ///< torchrun's restart count
  StringId run_id;
  StringId host;
  StringId boot_id; ///< /proc/sys/kernel/random/boot_id: is this the machine on which pid means something
  StringId argv;    ///< the arguments, joined by '\n' escapes as a JSON array text
  StringId torch_version;
  StringId python_version;
  StringId commtap_version;
  StringId report_name; ///< the report's path below the output folder, without ".json"
  uint32_t level;       ///< Level
  uint32_t reserved;
  LedgerSection sections[kSectionCount];
  LedgerNotSeen not_seen[kNotSeenCount];
};

struct LedgerGroup {
  StringId name;
  StringId desc;
  StringId backend;
  uint32_t size;
  uint32_t rank;       ///< this process's rank in the group
  uint32_t first_rank; ///< index in the ranks section of `size` uint32_t global ranks; kNoIndex: not known
};

struct LedgerModule {
  std::atomic<uint32_t> parent;    ///< live (a root may turn out to be a child); kNoIndex only for Global
  std::atomic<StringId> component; ///< live with parent; this module's part of the name, "net1" or "layers.0"
  StringId class_name;
  uint32_t flags;                           ///< kModule*
  std::atomic<uint64_t> calls[kPhaseCount]; ///< live; by Phase
};
/// The component is a wrapper's (`_orig_mod`, DDP's `module`, ...): in the raw name, not in the clean one.
inline constexpr uint32_t kModuleWrapperComponent = 1;

struct LedgerParameter {
  uint32_t module;
  StringId name;
  StringId shape;       ///< JSON array text, e.g. "[16,10]"
  StringId local_shape; ///< likewise; same as shape for a plain tensor
  StringId dtype;
  StringId mesh;       ///< JSON object text; "" for a plain tensor
  StringId placements; ///< JSON array text; "" for a plain tensor
  uint32_t requires_grad;
};

/// What makes one row: every combination that occurs has a row of its own. Compared as bytes, so without padding.
struct CollectiveKey {
  uint32_t module;    ///< for whom
  uint32_t issued_in; ///< where the call was made
  StringId op;
  uint32_t group; ///< kNoIndex: none known
  StringId dtype;
  StringId reduce_op; ///< "" for none
  Kind kind;
  Phase phase;
  AsyncOp async_op;
  uint8_t reserved[5]; ///< 0
};

struct LedgerCollective {
  CollectiveKey key;
  std::atomic<StringId> lowered[2]; ///< live; the ops that this op called; 0 for none
  std::atomic<uint64_t> count;      ///< live
  std::atomic<uint64_t> bytes;      ///< live; the payload S of nccl-tests, added up
};

/// What makes one row of ops; only at Level::kDtensor and Level::kOps. Compared as bytes, so without padding.
struct OperationKey {
  uint32_t module; ///< where the call was made
  StringId op;
  Phase phase;
  uint8_t dtensor;     ///< 1 if an argument was a DTensor
  uint8_t reserved[6]; ///< 0
};

struct LedgerOperation {
  OperationKey key;
  std::atomic<uint64_t> count; ///< live
};

static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(std::atomic<uint64_t>) == 8);
static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);
static_assert(sizeof(LedgerSection) == 32);
static_assert(sizeof(LedgerNotSeen) == 16);
static_assert(sizeof(LedgerGroup) == 24);
static_assert(sizeof(LedgerModule) == 56);
static_assert(sizeof(LedgerParameter) == 32);
static_assert(sizeof(CollectiveKey) == 32);
static_assert(sizeof(LedgerCollective) == 56);
static_assert(sizeof(OperationKey) == 16);
static_assert(sizeof(LedgerOperation) == 24);

} // namespace commtap
