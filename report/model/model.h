// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/durations.h"
#include "report/model/splits.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// The structs below are the JSON report of one process. docs/schema/commtap-2.schema.json describes each field.

struct Job {
  std::string run_id;
  std::string name; ///< the run's name for people; "" if it has none
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  std::optional<int64_t> local_rank;
  int64_t attempt = 0;
  std::string host;
  uint64_t pid = 0;
  std::vector<std::string> argv;
  uint64_t started_at_ns = 0;          ///< CLOCK_REALTIME
  std::optional<uint64_t> ended_at_ns; ///< CLOCK_REALTIME
  ExitKind exit = ExitKind::kRunning;
  std::optional<int64_t> exit_signal;        ///< for kKilled: the last one that the launcher was seen to send
  std::optional<int64_t> exit_status;        ///< of a process that exited by itself; nullopt if not known
  std::optional<uint64_t> signal_sent_at_ns; ///< CLOCK_REALTIME: when the launcher began to end the process by a signal
  std::string torch_version;
  std::string python_version; ///< "" for a job without Python
  std::string commtap_version;
  Timing timing;
  std::optional<StepSign> steps_from; ///< nullopt if no sign of a step's end was seen
  bool planned = false;               ///< `commtap plan` ran the process, and nothing was communicated
};

/// Returns whether the rank is below the world size, if both are known.
inline bool hasValidRank(const Job& job) {
  return !job.rank || !job.world_size || *job.rank < *job.world_size;
}

struct Group {
  std::string name; ///< unique in the report: the second group named "name" is "name#2"
  std::string desc;
  std::string backend;
  uint32_t size = 0;
  std::vector<uint32_t> ranks; ///< global ranks; empty if unknown
  uint64_t collectives = 0;    ///< issued in the group; also the sequence number of the last one
  uint64_t point_to_point = 0; ///< sends and receives issued in the group
  /// By stretch (stretches.h): the sum of the group's collectives in it. The last stretch may not be complete. Empty if
  /// not known.
  std::vector<int64_t> stretches;
  std::string mesh_dimension = {}; ///< the name of the only named DeviceMesh dimension that the group is; "" for none
};

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<int64_t> local_shape;
  std::string dtype;
  bool requires_grad = false;
  std::string mesh;                    ///< JSON object as text; "" for a plain tensor
  std::vector<std::string> placements; ///< empty for a plain tensor
};

/// Calls of a module by Phase.
using CallsByPhase = std::array<uint64_t, kPhaseCount>;

struct Module {
  uint32_t id = 0;
  std::optional<uint32_t> parent;
  std::string name; ///< without the components of wrappers
  std::string raw_name;
  std::string class_name;            ///< the class that the user wrote, or a wrapper's own
  std::vector<std::string> wrappers; ///< the classes that wrap the module or swapped its class, outermost first
  CallsByPhase calls{};
  std::vector<Parameter> parameters;
};

struct Collective {
  std::string module;
  std::string issued_in;
  Phase phase = Phase::kOther;
  std::string op;
  Kind kind = Kind::kOther;
  std::string group;     ///< the name of a Group; "?" if unknown
  std::string dtype;     ///< "" for none
  std::string reduce_op; ///< "" for none
  AsyncOp async_op = AsyncOp::kUnknown;
  std::string label;     ///< what the job does, for a collective outside of every module; "" if not known
  bool compiled = false; ///< the code of a compiled graph issued it
  bool setup = false;    ///< issued before the process began its first forward
  std::vector<std::string> lowered;
  uint64_t count = 0;
  uint64_t bytes = 0;
  double bus_bytes = 0;
  Histogram sizes; ///< of payloads, bytes; empty in a report that does not have it
  CollectiveTime time;
  Splits splits;
};

/// A module whose parameters or buffers a row of collectives carries, or the padding of such a row; or a module whose
/// collectives a compiler merged into the row's.
struct Member {
  uint64_t row = 0;              ///< index into Report::collectives
  std::string module;            ///< "" for padding
  uint64_t bytes = 0;            ///< of all calls of the row
  std::optional<uint64_t> count; ///< the module's collectives, if a compiler merged them
  uint64_t changes = 0;          ///< of the module's buffers, seen or possible

  bool operator==(const Member&) const = default;
};

/// The collectives of one kind in one group that one or more steps issued.
struct StepAmount {
  Kind kind = Kind::kOther;
  std::string group; ///< the name of a Group; "?" for the sum of several groups
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t running_ns = 0; ///< of the timed collectives that completed in this step
  uint64_t exposed_ns = 0;

  bool operator==(const StepAmount&) const = default;
};

struct Step {
  uint64_t first_step = 0;             ///< from 0
  uint64_t steps = 1;                  ///< number of steps that this entry sums
  uint64_t started_at_ns = 0;          ///< CLOCK_REALTIME
  std::optional<uint64_t> ended_at_ns; ///< CLOCK_REALTIME; nullopt for the running step
  uint64_t forward_passes = 0;
  uint64_t backward_passes = 0;
  std::vector<StepAmount> collectives;
  std::optional<uint64_t> training_steps = {}; ///< those of `steps` that trained; nullopt for none
  uint64_t closure_passes = 0;                 ///< those of `backward_passes` that closures of optimizers made

  bool operator==(const Step&) const = default;
};

/// One of the last collectives that the process issued.
struct LastCollective {
  uint64_t number = 0; ///< position among all collectives of the process, from 1
  std::string group;
  uint64_t sequence = 0; ///< position in the group, from 1; point-to-point ops are numbered apart
  uint64_t step = 0;
  std::string module;
  std::string issued_in;
  Phase phase = Phase::kOther;
  std::string op;
  Kind kind = Kind::kOther;
  std::string dtype; ///< "" for none
  uint64_t bytes = 0;
  std::optional<int64_t> peer; ///< rank in the group that a send or receive names
  LastState state = LastState::kIssued;
  uint64_t issued_at_ns = 0;               ///< CLOCK_REALTIME
  std::optional<uint64_t> started_at_ns;   ///< CLOCK_REALTIME
  std::optional<uint64_t> completed_at_ns; ///< CLOCK_REALTIME
  std::string reduce_op;                   ///< "" for none
  std::optional<int64_t> root;             ///< rank in the group from which or to which the data goes

  bool operator==(const LastCollective&) const = default;
};

struct Operation {
  std::string module; ///< the module that called the op
  Phase phase = Phase::kOther;
  std::string op;
  bool dtensor = false; ///< true if called with a DTensor
  uint64_t count = 0;

  bool operator==(const Operation&) const = default;
};

struct NcclCommunicator {
  std::optional<uint32_t> size; ///< number of ranks; nullopt if NCCL never reported it
  std::optional<uint32_t> rank; ///< rank of this process
  std::string group; ///< the first Group whose collectives used the communicator; "" if there is no such group

  bool operator==(const NcclCommunicator&) const = default;
};

/// How commtap learned of an NCCL call: through the interposed function, or from NCCL's profiler plugin.
enum class NcclSource : bool { kCall, kPlugin };
template <>
struct EnumNames<NcclSource> : Named<NcclSource> {
  static constexpr const char* kHelp = "How commtap learned of a call.";
  static constexpr auto kNames = std::to_array<std::string_view>({"call", "plugin"});
};
inline constexpr auto ncclSourceName = EnumNames<NcclSource>::name;
inline constexpr auto ncclSourceFromName = EnumNames<NcclSource>::fromName;

/// Calls of one NCCL function.
struct NcclCall {
  std::string function;                 ///< "ncclAllReduce"
  std::optional<uint32_t> communicator; ///< index; nullopt if the call has no communicator
  std::string op;                       ///< the collective that makes the call; "" if there is none
  std::string group;                    ///< the group of that collective; "" if there is none
  std::string module;
  Phase phase = Phase::kOther;
  std::string dtype; ///< "" for none
  std::optional<bool> in_group;
  NcclSource source = NcclSource::kCall;
  uint64_t count = 0;  ///< calls made, or replayed by launches of CUDA graphs
  uint64_t failed = 0; ///< number of these calls that failed
  uint64_t bytes = 0;
  uint64_t captured = 0; ///< calls captured into a CUDA graph; `count` has them only once the graph is launched

  bool operator==(const NcclCall&) const = default;
};

struct Nccl {
  std::string version; ///< "2.29.7"; "" if NCCL did not report it
  std::vector<NcclCommunicator> communicators;
  std::vector<NcclCall> calls;

  bool operator==(const Nccl&) const = default;
};

/// The part of a CUDA graph launch that one row of Report::collectives counts. Columns of the row that are not here may
/// differ.
struct GraphCollective {
  std::string module;
  Phase phase = Phase::kOther;
  std::string op;
  Kind kind = Kind::kOther;
  std::string group;
  uint64_t count = 0; ///< collectives per launch
  uint64_t bytes = 0;

  bool operator==(const GraphCollective&) const = default;
};

struct GraphNcclCall {
  std::string function;
  std::optional<uint32_t> communicator; ///< index in Nccl::communicators
  uint64_t count = 0;
  uint64_t bytes = 0;

  bool operator==(const GraphNcclCall&) const = default;
};

/// A CUDA graph that contains collectives or NCCL calls.
struct CudaGraph {
  uint64_t launches = 0;
  std::vector<GraphCollective> collectives;
  std::vector<GraphNcclCall> nccl_calls;

  bool operator==(const CudaGraph&) const = default;
};

/// The resources of the process that commtap used.
struct OwnCost {
  uint64_t start_ns = 0;       ///< from finding torch to the last installed hook
  uint64_t collectives_ns = 0; ///< sum over all threads; so are module_calls_ns and other_ns
  uint64_t module_calls_ns = 0;
  uint64_t other_ns = 0;     ///< NCCL and CUDA calls, durations, labels, ops
  uint64_t end_ns = 0;       ///< 0 unless the process exited by itself
  uint64_t memory_bytes = 0; ///< peak, including the ledger
  uint64_t ledger_bytes = 0;

  bool operator==(const OwnCost&) const = default;
};

/// A call to NCCL, or one that makes process groups, that a thread had entered, and that had not returned.
struct EnteredCall {
  std::string function;       ///< "ncclAllReduce", "new_group of ranks 0-1"
  std::string group;          ///< the group of the collective that made the call; "" if there is none
  uint64_t entered_at_ns = 0; ///< CLOCK_REALTIME

  bool operator==(const EnteredCall&) const = default;
};

struct NotSeenEntry {
  std::string reason;
  uint64_t count = 0;
  std::string detail; ///< the first case
  std::string meaning;
};

struct Report {
  Job job;
  std::vector<Group> groups;
  std::vector<Module> modules; ///< Global first; a parent before its children if it was seen first
  std::vector<Collective> collectives;
  std::vector<Member> members;                      ///< by row; empty where they are not known
  std::optional<std::vector<Operation>> operations; ///< nullopt unless COMMTAP_LEVEL asked for them
  std::vector<Step> steps;                          ///< in order; the running step is last
  std::vector<LastCollective> last;                 ///< oldest first
  std::vector<EnteredCall> open_calls;              ///< the longest open first
  std::optional<Nccl> nccl;                         ///< nullopt if NCCL was not called
  std::optional<OwnCost> own_cost;                  ///< nullopt if the report does not have it
  std::vector<CudaGraph> cuda_graphs;               ///< in the order in which they were captured
  std::vector<NotSeenEntry> not_seen;
};

/// Adds to Report::members from the parameters of the modules. A row of an FSDP2 unit, or of a DDP model with one
/// bucket, has members if their sizes add up to its payload exactly. A row that has members keeps them; any other row
/// has none. At most kMostMembers in all.
void setMembers(Report& report);
inline constexpr size_t kMostMembers = 64U << 10U;

/// The facts of a collective that must be equal on all ranks of its group. Refers to the call.
struct AgreedFacts {
  uint64_t bytes = 0; ///< 0 for a kind whose payload may differ between ranks
  Kind kind = Kind::kOther;
  std::optional<int64_t> root;
  std::string_view op;
  std::string_view dtype;
  std::string_view reduce_op;

  auto operator<=>(const AgreedFacts&) const = default; // NOLINT(modernize-use-nullptr): generated code
};

inline AgreedFacts agreedFacts(const LastCollective& call) {
  return {hasEqualBytes(call.kind) ? call.bytes : 0, call.kind, call.root, call.op, call.dtype, call.reduce_op};
}

/// Returns whether two collectives, of one rank or of ranks that work alike, are the same one of the model.
inline bool areAlike(const LastCollective& a, const LastCollective& b) {
  return agreedFacts(a) == agreedFacts(b) && a.module == b.module && a.phase == b.phase;
}

} // namespace commtap
