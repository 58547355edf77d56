// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/nccl_calls.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "report/model/nccl.h"
#include "tracker/attribution/attribution.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/clock.h"
#include "tracker/core/process_ledger.h"
#include "tracker/gpu/communicators.h"
#include "tracker/gpu/device_timing.h"
#include "tracker/gpu/graph_captures.h"

namespace commtap {
namespace {

/// How the payload follows from a call's `count`: the S of nccl-tests (doc/PERFORMANCE.md there).
enum class NcclPayload : uint8_t {
  kNone,
  kElements,
  kElementsOfEachRank, ///< `count` is one rank's part
  kElementsByRank,     ///< the sum of `counts`
  kBytes,
};

constexpr std::array<std::string_view, COMMTAP_NCCL_FUNCTION_COUNT> kFunctionNames = {
#define COMMTAP_NCCL_NAME(name) "nccl" #name,
    COMMTAP_FOR_EACH_NCCL_FUNCTION(COMMTAP_NCCL_NAME)
#undef COMMTAP_NCCL_NAME
};

constexpr NcclPayload payloadOf(commtap_nccl_function function) {
  switch (function) {
    case COMMTAP_NCCL_AllReduce:
    case COMMTAP_NCCL_AllReduceConfig:
    case COMMTAP_NCCL_AllReduceWithBias:
    case COMMTAP_NCCL_Broadcast:
    case COMMTAP_NCCL_BroadcastConfig:
    case COMMTAP_NCCL_Bcast:
    case COMMTAP_NCCL_Reduce:
    case COMMTAP_NCCL_ReduceConfig:
    case COMMTAP_NCCL_Send:
    case COMMTAP_NCCL_Recv:
    case COMMTAP_NCCL_PutSignal:
      return NcclPayload::kElements;
    case COMMTAP_NCCL_AllGather:
    case COMMTAP_NCCL_AllGatherConfig:
    case COMMTAP_NCCL_ReduceScatter:
    case COMMTAP_NCCL_ReduceScatterConfig:
    case COMMTAP_NCCL_AlltoAll:
    case COMMTAP_NCCL_AlltoAllConfig:
    case COMMTAP_NCCL_AllToAll:
    case COMMTAP_NCCL_Gather:
    case COMMTAP_NCCL_GatherConfig:
    case COMMTAP_NCCL_Scatter:
    case COMMTAP_NCCL_ScatterConfig:
      return NcclPayload::kElementsOfEachRank;
    case COMMTAP_NCCL_AllToAllv:
      return NcclPayload::kElementsByRank;
    case COMMTAP_NCCL_CommRegister:
    case COMMTAP_NCCL_CommWindowRegister:
    case COMMTAP_NCCL_MemAlloc:
      return NcclPayload::kBytes;
    default:
      return NcclPayload::kNone;
  }
}

constexpr bool movesData(commtap_nccl_function function) {
  const NcclPayload payload = payloadOf(function);
  return payload != NcclPayload::kNone && payload != NcclPayload::kBytes;
}

constexpr int kSuccess = 0;
constexpr int kInProgress = 7;

struct NcclState {
  const commtap_nccl_questions* questions = nullptr;
  Communicators communicators;
  std::array<std::atomic<StringId>, COMMTAP_NCCL_FUNCTION_COUNT> names{};
};

NcclState& ncclState() {
  static NcclState* instance = new NcclState(); // leaked on purpose: threads call until the process exits
  return *instance;
}

std::atomic<bool> on{true};

StringId nameOf(LedgerWriter& ledger, commtap_nccl_function function) {
  std::atomic<StringId>& name = ncclState().names[function];
  if (name.load(std::memory_order_relaxed) == 0) {
    name.store(ledger.intern(kFunctionNames[function]), std::memory_order_relaxed);
  }
  return name.load(std::memory_order_relaxed);
}

/// Asks NCCL for a communicator's size and rank. Call only for a call that moves data: its communicator is ready, and
/// NCCL must not be asked about others. If NCCL fails, the next call asks again.
void askForSize(LedgerCommunicator& communicator, const commtap_nccl_call& call) {
  int size = call.place == nullptr ? 0 : call.place->ranks;
  int rank = call.place == nullptr ? 0 : call.place->rank;
  const commtap_nccl_questions& ask = *ncclState().questions;
  const bool told = call.place != nullptr ||
                    (ask.comm_count(call.comm, &size) == kSuccess && ask.comm_user_rank(call.comm, &rank) == kSuccess);
  if (told && size > 0) {
    communicator.rank.store(static_cast<uint32_t>(rank), std::memory_order_relaxed);
    communicator.size.store(static_cast<uint32_t>(size), std::memory_order_release);
  }
}

uint32_t communicatorOf(LedgerWriter& ledger, const commtap_nccl_call& call) {
  if (call.comm == nullptr) {
    return kNoIndex;
  }
  uint32_t number = ncclState().communicators.find(call.comm);
  if (number == kNoIndex) {
    number = ncclState().communicators.add(call.comm, [&] { return ledger.addCommunicator(); });
  }
  if (number == kNoIndex) {
    return kNoIndex;
  }
  LedgerCommunicator& communicator = ledger.communicator(number);
  if (communicator.size.load(std::memory_order_relaxed) == 0 && movesData(call.function)) {
    askForSize(communicator, call);
  }
  return number;
}

/// Returns true for calls from ncclGroupStart to ncclGroupEnd, both included. Updates the thread's open groups.
bool inGroup(ThreadState& thread, const commtap_nccl_call& call) {
  if (call.function == COMMTAP_NCCL_GroupStart && call.result == kSuccess) {
    ++thread.nccl_groups_open;
    return true;
  }
  const bool open = thread.nccl_groups_open > 0;
  if (call.function == COMMTAP_NCCL_GroupEnd && open) {
    --thread.nccl_groups_open;
  }
  return open;
}

bool hasFailed(const commtap_nccl_call& call) {
  return call.result != kSuccess && call.result != kInProgress;
}

/// The location that a call is attributed to: the collective that makes it, else the thread's origin.
struct Place {
  const OpFrame* frame;
  Origin origin; ///< set if `frame` is nullptr
};

Place placeOf(ThreadState& thread) {
  return {thread.frame, thread.frame == nullptr ? currentOrigin(thread) : Origin()};
}

void attribute(NcclKey& key, const Place& place) {
  key.op = place.frame == nullptr ? 0 : place.frame->op;
  if (place.frame != nullptr && place.frame->row != nullptr) {
    const CollectiveKey& row = place.frame->row->key;
    key.group = row.group;
    key.module = row.module;
    key.phase = row.phase;
    return;
  }
  key.group = kNoIndex;
  key.module = place.origin.module;
  key.phase = place.origin.phase;
}

/// Returns the payload of one element of the call's `count`. `ranks` is 0 if the communicator's size is unknown.
uint64_t bytesPerCount(const commtap_nccl_call& call, uint32_t ranks) {
  const NcclPayload payload = payloadOf(call.function);
  if (payload == NcclPayload::kNone || payload == NcclPayload::kBytes) {
    return payload == NcclPayload::kNone ? 0 : 1;
  }
  const uint64_t size = ncclDatatypeSize(static_cast<uint32_t>(call.datatype));
  return payload == NcclPayload::kElementsOfEachRank ? size * std::max(ranks, 1U) : size;
}

/// Returns the elements of a call, as the caller passed them. `ranks` is 0 if the communicator's size is unknown.
uint64_t elementsOf(const commtap_nccl_call& call, uint32_t ranks) {
  return call.counts == nullptr ? call.count : std::accumulate(call.counts, call.counts + ranks, uint64_t{0});
}

/// Returns the communicator's size; 0 if unknown. The first group whose collective uses the communicator owns it.
uint32_t ranksOf(LedgerCommunicator& communicator, uint32_t group) {
  uint32_t none = kNoIndex;
  if (group != kNoIndex && communicator.group.load(std::memory_order_relaxed) == none) {
    communicator.group.compare_exchange_strong(none, group, std::memory_order_relaxed);
  }
  return communicator.size.load(std::memory_order_acquire);
}

/// A row and the payload of the call that it counts.
struct CountedAt {
  LedgerNcclCall* row; ///< null if the table is full
  uint64_t bytes;
};

CountedAt find(LedgerWriter& ledger, const commtap_nccl_call& call, const Place& place, bool in_group) {
  NcclKey key{};
  key.function = nameOf(ledger, call.function);
  key.communicator = communicatorOf(ledger, call);
  key.datatype = static_cast<uint8_t>(call.datatype); // -1 is kNoDatatype
  key.in_group = in_group ? 1 : 0;
  key.told_by_plugin = call.place == nullptr ? 0 : 1;
  attribute(key, place);
  const bool names_one = key.communicator != kNoIndex;
  const uint32_t ranks = names_one ? ranksOf(ledger.communicator(key.communicator), key.group) : 0;
  const NcclPayload payload = payloadOf(call.function);
  const bool needs_ranks = payload == NcclPayload::kElementsOfEachRank || payload == NcclPayload::kElementsByRank;
  if (ranks == 0 && needs_ranks && !hasFailed(call)) {
    ledger.notSeen(NotSeen::kUnknownCommunicator, kFunctionNames[call.function]);
  }
  return {ledger.row(key), elementsOf(call, ranks) * bytesPerCount(call, ranks)};
}

void countRun(LedgerNcclCall& row, uint64_t bytes) {
  row.count.fetch_add(1, std::memory_order_relaxed);
  row.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void countAt(LedgerNcclCall& row, uint64_t bytes, const ThreadState& thread, const commtap_nccl_call& call) {
  if (hasFailed(call)) {
    row.failed.fetch_add(1, std::memory_order_relaxed);
    countRun(row, 0);
    return;
  }
  if (GraphCaptures::isCapturing() && movesData(call.function) &&
      GraphCaptures::capture(call.stream, row, bytes, thread.frame)) {
    row.captured.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  countRun(row, bytes);
}

void count(LedgerWriter& ledger, ThreadState& thread, const commtap_nccl_call& call, bool in_group) {
  const CountedAt found = find(ledger, call, placeOf(thread), in_group);
  if (found.row != nullptr) {
    countAt(*found.row, found.bytes, thread, call);
  }
}

/// Functions that let others read and write memory without a call that could be counted.
constexpr uint64_t kSigns = 1ULL << COMMTAP_NCCL_DevCommCreate | 1ULL << COMMTAP_NCCL_CommWindowRegister |
                            1ULL << COMMTAP_NCCL_PutSignal | 1ULL << COMMTAP_NCCL_Signal;
static_assert(COMMTAP_NCCL_FUNCTION_COUNT <= 64);

/// Names communication that cannot be seen, if the call is a sign of it. A one-sided call inside a collective, or a
/// device communicator that it makes for its own kernel, counts with the collective.
void noteSign(LedgerWriter& ledger, const ThreadState& thread, const commtap_nccl_call& call) {
  if (hasFailed(call)) {
    return;
  }
  const bool is_window = call.function == COMMTAP_NCCL_CommWindowRegister;
  const bool is_device = call.function == COMMTAP_NCCL_DevCommCreate;
  if (is_window || thread.frame == nullptr) {
    ledger.notSeen(is_device ? NotSeen::kDeviceCommunicators : NotSeen::kNcclWindows, kFunctionNames[call.function]);
  }
}

uint32_t ncclVersion() {
  int version = 0;
  const commtap_nccl_questions* ask = ncclState().questions;
  const bool told = ask != nullptr && ask->get_version(&version) == kSuccess && version > 0;
  return told ? static_cast<uint32_t>(version) : 1; // 0 would mean that NCCL was never called
}

bool begin() {
  ProcessLedger& process_ledger = ProcessLedger::get();
  process_ledger.processGroupSeen(-1, -1);
  return process_ledger.ledger().countNccl(ncclVersion());
}

/// Returns nullptr if there is no memory. The first call moves the ledger into its file: afterwards no record changes
/// its place.
ThreadState* threadOfCall() {
  static const bool is_ready = begin();
  return is_ready ? ThreadState::current() : nullptr;
}

/// Returns a number that differs between most threads.
uintptr_t numberOf(const ThreadState* thread) {
  const auto address = reinterpret_cast<uintptr_t>(thread);
  return (address >> 6U) ^ (address >> 12U);
}

LedgerOpenCall* enter(const commtap_nccl_call& call) {
  const ThreadState* thread = on.load(std::memory_order_relaxed) ? threadOfCall() : nullptr;
  if (thread == nullptr) {
    return nullptr;
  }
  LedgerWriter& ledger = ProcessLedger::ledger();
  const OpFrame* frame = thread->frame;
  const uint32_t group = frame == nullptr || frame->row == nullptr ? kNoIndex : frame->row->key.group;
  return ledger.enter(nameOf(ledger, call.function), group, coarseNow(), numberOf(thread));
}

void* entered(const commtap_nccl_call* call) {
  LedgerOpenCall* open = nullptr;
  catchAll(kFunctionNames[call->function], [&open, call] { open = enter(*call); });
  return open;
}

void returned(void* open) {
  LedgerWriter::leave(*static_cast<LedgerOpenCall*>(open));
}

/// Counts a call. Follows groups and communicators also while counting is off.
void watch(const commtap_nccl_call& call) {
  ThreadState* thread = threadOfCall();
  if (thread == nullptr) {
    return;
  }
  const bool in_group = call.place == nullptr && inGroup(*thread, call);
  if (on.load(std::memory_order_relaxed)) {
    count(ProcessLedger::ledger(), *thread, call, in_group);
    if ((kSigns >> call.function & 1) != 0) {
      noteSign(ProcessLedger::ledger(), *thread, call);
    }
  }
  if (DeviceTiming::isOn()) {
    DeviceTiming::returned(*thread, call);
  }
  if (call.function == COMMTAP_NCCL_CommDestroy || call.function == COMMTAP_NCCL_CommAbort) {
    ncclState().communicators.remove(call.comm);
  }
}

void called(const commtap_nccl_call* call) {
  catchAll(kFunctionNames[call->function], [call] { watch(*call); });
}

void ended(const void* comm) {
  ncclState().communicators.remove(comm);
}

} // namespace

const commtap_nccl* NcclCalls::hooks(const commtap_nccl_questions* questions) {
  const bool times = DeviceTiming::isOn();
  static const commtap_nccl hooks = {
      .begins = times ? DeviceTiming::begins : nullptr,
      .entered = entered,
      .returned = returned,
      .called = called,
      .ended = ended,
      .kernels_expected = times ? DeviceTiming::kernelsExpected : nullptr,
      .ran = DeviceTiming::ran,
  };
  ncclState().questions = questions;
  return &hooks;
}

void NcclCalls::setOn(bool counts) {
  on.store(counts, std::memory_order_relaxed);
}

void NcclCalls::resetInForkedChild() {
  if (const commtap_nccl_questions* ask = ncclState().questions) {
    ask->forked();
  }
}

ForkLock NcclCalls::forkLock() {
  return {&ncclState().communicators.mutex(), [] { ncclState().communicators.startAnew(); }, "communicators at a fork"};
}

} // namespace commtap
