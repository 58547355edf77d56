// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/model/durations.h"
#include "report/model/timing.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// The report of one process, as the JSON document holds it (docs/schema/commtap-1.schema.json describes each field).

struct Job {
  std::string run_id;
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
  std::optional<int64_t> exit_signal;
  std::string torch_version;
  std::string python_version; ///< "" for a job without Python
  std::string commtap_version;
  Timing timing;
};

struct Group {
  std::string name; ///< unique in the report: the second group of one name is "name#2"
  std::string desc;
  std::string backend;
  uint32_t size = 0;
  std::vector<uint32_t> ranks; ///< global ranks; empty if they are not known
  uint64_t collectives = 0;    ///< issued in it, by which the last one is numbered
  uint64_t point_to_point = 0; ///< sends and receives issued in it
};

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<int64_t> local_shape;
  std::string dtype;
  bool requires_grad = false;
  std::string mesh;                    ///< JSON object text, "" for a plain tensor
  std::vector<std::string> placements; ///< empty for a plain tensor
};

/// Calls of a module by Phase.
using CallsByPhase = std::array<uint64_t, kPhaseCount>;

struct Module {
  uint32_t id = 0;
  std::optional<uint32_t> parent;
  std::string name; ///< without wrappers
  std::string raw_name;
  std::string class_name;
  CallsByPhase calls{};
  std::vector<Parameter> parameters;
};

struct Collective {
  std::string module;
  std::string issued_in;
  Phase phase = Phase::kOther;
  std::string op;
  Kind kind = Kind::kOther;
  std::string group;     ///< a Group's name; "?" if it is not known
  std::string dtype;     ///< "" for none
  std::string reduce_op; ///< "" for none
  AsyncOp async_op = AsyncOp::kUnknown;
  std::vector<std::string> lowered;
  uint64_t count = 0;
  uint64_t bytes = 0;
  double bus_bytes = 0;
  Histogram sizes; ///< of payloads, bytes; empty in a report that does not have it
  CollectiveTime time;
};

/// What a step, or several, communicated of one kind in one group.
struct StepAmount {
  Kind kind = Kind::kOther;
  std::string group; ///< a Group's name; "?" where many are added up
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t running_ns = 0; ///< of what was over in this step and is timed
  uint64_t blocked_ns = 0;

  bool operator==(const StepAmount&) const = default;
};

struct Step {
  uint64_t first_step = 0;             ///< from 0
  uint64_t steps = 1;                  ///< how many are added up here
  uint64_t started_at_ns = 0;          ///< CLOCK_REALTIME
  std::optional<uint64_t> ended_at_ns; ///< CLOCK_REALTIME; nullopt for the step that runs
  uint64_t forward_passes = 0;
  uint64_t backward_passes = 0;
  std::vector<StepAmount> collectives;

  bool operator==(const Step&) const = default;
};

/// One of the last collectives that the process issued.
struct LastCollective {
  uint64_t number = 0; ///< of all that it issued, from 1
  std::string group;
  uint64_t sequence = 0; ///< in the group, from 1; sends and receives are counted apart
  uint64_t step = 0;
  std::string module;
  std::string issued_in;
  Phase phase = Phase::kOther;
  std::string op;
  Kind kind = Kind::kOther;
  std::string dtype; ///< "" for none
  uint64_t bytes = 0;
  std::optional<int64_t> peer; ///< rank in the group that is sent to or received from
  LastState state = LastState::kIssued;
  uint64_t issued_at_ns = 0;               ///< CLOCK_REALTIME
  std::optional<uint64_t> started_at_ns;   ///< CLOCK_REALTIME
  std::optional<uint64_t> completed_at_ns; ///< CLOCK_REALTIME

  bool operator==(const LastCollective&) const = default;
};

struct Operation {
  std::string module; ///< in which it was called
  Phase phase = Phase::kOther;
  std::string op;
  bool dtensor = false; ///< called with a DTensor
  uint64_t count = 0;

  bool operator==(const Operation&) const = default;
};

struct NcclCommunicator {
  std::optional<uint32_t> size; ///< ranks; nullopt if it never told
  std::optional<uint32_t> rank; ///< this process's
  std::string group;            ///< the Group whose collectives first came there; "" for none

  bool operator==(const NcclCommunicator&) const = default;
};

/// How a call to NCCL became known: it came by, or NCCL told its profiler plugin.
enum class NcclSource : bool { kCall, kPlugin };
inline constexpr int kNcclSourceCount = 2;

/// Calls of one function of NCCL.
struct NcclCall {
  std::string function;                 ///< "ncclAllReduce"
  std::optional<uint32_t> communicator; ///< index; nullopt for a call that names none
  std::string op;                       ///< the collective that made the call; "" for none
  std::string group;                    ///< that collective's; "" for none
  std::string module;
  Phase phase = Phase::kOther;
  std::string dtype; ///< "" for none
  std::optional<bool> in_group;
  NcclSource source = NcclSource::kCall;
  uint64_t count = 0;  ///< made, or replayed by launches of CUDA graphs
  uint64_t failed = 0; ///< of these
  uint64_t bytes = 0;
  uint64_t captured = 0; ///< made while a CUDA graph was captured; in `count` only when that is launched

  bool operator==(const NcclCall&) const = default;
};

struct Nccl {
  std::string version; ///< "2.29.7"; "" if it did not tell
  std::vector<NcclCommunicator> communicators;
  std::vector<NcclCall> calls;

  bool operator==(const Nccl&) const = default;
};

/// What a launch of a CUDA graph makes of one row of Report::collectives, whatever its other columns.
struct GraphCollective {
  std::string module;
  Phase phase = Phase::kOther;
  std::string op;
  Kind kind = Kind::kOther;
  std::string group;
  uint64_t count = 0; ///< of one launch, as below
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

/// A CUDA graph that communicates.
struct CudaGraph {
  uint64_t launches = 0;
  std::vector<GraphCollective> collectives;
  std::vector<GraphNcclCall> nccl_calls;

  bool operator==(const CudaGraph&) const = default;
};

/// What commtap itself took of the process.
struct OwnCost {
  uint64_t start_ns = 0;       ///< from finding torch until all was hooked
  uint64_t collectives_ns = 0; ///< in all threads together, as the next two
  uint64_t module_calls_ns = 0;
  uint64_t other_ns = 0;     ///< calls to NCCL and CUDA, durations, labels, ops
  uint64_t end_ns = 0;       ///< 0 of a process that has not ended by itself
  uint64_t memory_bytes = 0; ///< at most, the ledger included
  uint64_t ledger_bytes = 0;

  bool operator==(const OwnCost&) const = default;
};

struct NotSeenEntry {
  std::string reason;
  uint64_t count = 0;
  std::string detail; ///< the first thing that it happened to
  std::string meaning;
};

struct Report {
  Job job;
  std::vector<Group> groups;
  std::vector<Module> modules; ///< Global first, parents before children where they were seen in that order
  std::vector<Collective> collectives;
  std::optional<std::vector<Operation>> operations; ///< nullopt unless COMMTAP_LEVEL asked for them
  std::vector<Step> steps;                          ///< in order, the one that runs last
  std::vector<LastCollective> last;                 ///< oldest first
  std::optional<Nccl> nccl;                         ///< nullopt if NCCL was not called
  std::optional<OwnCost> own_cost;                  ///< nullopt if the report does not have it
  std::vector<CudaGraph> cuda_graphs;               ///< in the order in which they were captured
  std::vector<NotSeenEntry> not_seen;
};

} // namespace commtap
