// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The names of JSON fields that several sources use; a column spells a name that it alone uses. Dashboards depend on
/// the names, so they never change. docs/schema/commtap-2.schema.json describes each field of the report.
namespace commtap::field {

inline constexpr const char* kSchema = "schema";
inline constexpr const char* kJob = "job";
inline constexpr const char* kGroups = "groups";
inline constexpr const char* kModules = "modules";
inline constexpr const char* kCollectives = "collectives";
inline constexpr const char* kOperations = "operations";
inline constexpr const char* kSteps = "steps";
inline constexpr const char* kLast = "last";
inline constexpr const char* kNotSeen = "not_seen";

inline constexpr const char* kRunId = "run_id";
inline constexpr const char* kRunName = "run_name";
inline constexpr const char* kRank = "rank";
inline constexpr const char* kWorldSize = "world_size";
inline constexpr const char* kLocalRank = "local_rank";
inline constexpr const char* kAttempt = "attempt";
inline constexpr const char* kHost = "host";
inline constexpr const char* kPid = "pid";
inline constexpr const char* kArgv = "argv";
inline constexpr const char* kLastActivityAt = "last_activity_at";
inline constexpr const char* kStartedAt = "started_at";
inline constexpr const char* kEndedAt = "ended_at";
inline constexpr const char* kExit = "exit";
inline constexpr const char* kExitSignal = "exit_signal";
inline constexpr const char* kExitStatus = "exit_status";
inline constexpr const char* kSignalSentAt = "signal_sent_at";
inline constexpr const char* kTorch = "torch";
inline constexpr const char* kPython = "python";
inline constexpr const char* kCommtap = "commtap";

inline constexpr const char* kName = "name";
inline constexpr const char* kDesc = "desc";
inline constexpr const char* kMeshDimension = "mesh_dimension";
inline constexpr const char* kBackend = "backend";
inline constexpr const char* kSize = "size";
inline constexpr const char* kRanks = "ranks";

inline constexpr const char* kId = "id";
inline constexpr const char* kParent = "parent";
inline constexpr const char* kClass = "class";
inline constexpr const char* kWrappers = "wrappers";
inline constexpr const char* kCalls = "calls";
inline constexpr const char* kDtype = "dtype";

inline constexpr const char* kModule = "module";
inline constexpr const char* kPhase = "phase";
inline constexpr const char* kOp = "op";
inline constexpr const char* kKind = "kind";
inline constexpr const char* kGroup = "group";
inline constexpr const char* kReduceOp = "reduce_op";
inline constexpr const char* kAsync = "async";
inline constexpr const char* kRow = "row";
inline constexpr const char* kLabel = "label";
inline constexpr const char* kCompiled = "compiled";
inline constexpr const char* kSetup = "setup";
inline constexpr const char* kIssuedIn = "issued_in";
inline constexpr const char* kLowered = "lowered";
inline constexpr const char* kCount = "count";
inline constexpr const char* kBytes = "bytes";
inline constexpr const char* kBusBytes = "bus_bytes";

inline constexpr const char* kSplits = "splits";
inline constexpr const char* kHottestPeer = "hottest_peer";
inline constexpr const char* kColdestPeer = "coldest_peer";
inline constexpr const char* kZeroPeers = "zero_peers";

inline constexpr const char* kTiming = "timing";
inline constexpr const char* kStepsFrom = "steps_from";
inline constexpr const char* kPlanned = "planned";
inline constexpr const char* kTime = "time";
inline constexpr const char* kRunningNs = "running_ns";
inline constexpr const char* kExposedNs = "exposed_ns";
inline constexpr const char* kStalledIn = "stalled_in";
inline constexpr const char* kTimedBytes = "timed_bytes";
inline constexpr const char* kTimedBusBytes = "timed_bus_bytes";

inline constexpr const char* kRoot = "root";

inline constexpr const char* kDtensor = "dtensor";

inline constexpr const char* kTimedRankCount = "timed_rank_count";
inline constexpr const char* kDurationNs = "duration_ns";
inline constexpr const char* kFirstStep = "first_step";
inline constexpr const char* kForwardPasses = "forward_passes";
inline constexpr const char* kBackwardPasses = "backward_passes";
inline constexpr const char* kTrainingSteps = "training_steps";
inline constexpr const char* kOutsideSteps = "outside_steps";

inline constexpr const char* kSequence = "sequence";
inline constexpr const char* kStep = "step";
inline constexpr const char* kPeer = "peer";
inline constexpr const char* kState = "state";
inline constexpr const char* kIssuedAt = "issued_at";

inline constexpr const char* kNccl = "nccl";
inline constexpr const char* kVersion = "version";
inline constexpr const char* kCommunicators = "communicators";
inline constexpr const char* kCommunicator = "communicator";
inline constexpr const char* kFunction = "function";
inline constexpr const char* kFailed = "failed";

inline constexpr const char* kEndNs = "end_ns";

inline constexpr const char* kReason = "reason";
inline constexpr const char* kDetail = "detail";
inline constexpr const char* kMeaning = "meaning";

// Only in the job report: docs/schema/commtap-job-2.schema.json.
inline constexpr const char* kAttempts = "attempts";
inline constexpr const char* kOtherRuns = "other_runs";
inline constexpr const char* kSource = "source";
inline constexpr const char* kMissingRanks = "missing_ranks";
inline constexpr const char* kDisagreementsFound = "disagreements_found";
inline constexpr const char* kDisagreements = "disagreements";
inline constexpr const char* kProblems = "problems";
inline constexpr const char* kTotals = "totals";
inline constexpr const char* kRankSets = "rank_sets";
inline constexpr const char* kProcesses = "processes";
inline constexpr const char* kVersions = "versions";

inline constexpr const char* kWhat = "what";
inline constexpr const char* kMembers = "members";
inline constexpr const char* kValues = "values";
inline constexpr const char* kSent = "sent";
inline constexpr const char* kReceived = "received";
inline constexpr const char* kRankSet = "rank_set";
inline constexpr const char* kRankCount = "rank_count";
inline constexpr const char* kGroupTimes = "group_times";
inline constexpr const char* kModuleTimes = "module_times";
inline constexpr const char* kLateByNs = "late_by_ns";

inline constexpr const char* kSum = "sum";
inline constexpr const char* kMin = "min";
inline constexpr const char* kMean = "mean";
inline constexpr const char* kMax = "max";
inline constexpr const char* kMinRank = "min_rank";
inline constexpr const char* kMaxRank = "max_rank";

} // namespace commtap::field
