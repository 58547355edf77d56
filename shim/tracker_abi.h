/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TRACKER_ABI_H
#define COMMTAP_SHIM_TRACKER_ABI_H

/* The interface between the preloaded stub and a tracker. Any change needs a new COMMTAP_ABI. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/commtap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMMTAP_ABI 14U
#define COMMTAP_TRACKER_SYMBOL "commtap_tracker_table" /* const struct commtap_tracker* (*)(void) */

enum commtap_start_result {
  COMMTAP_STARTED = 0,
  COMMTAP_NOT_STARTED = 1,
  COMMTAP_STAYS_OFF = 2, /* the tracker has said why, and is not called again */
};

enum commtap_exit {
  COMMTAP_EXIT_NORMAL = 1,
  COMMTAP_EXIT_UNDERSCORE = 2,
  COMMTAP_EXIT_SIGNAL = 3,
};

/* The implementations of the functions of commtap.h. */
struct commtap_api {
#define COMMTAP_MEMBER(result, name, parameters, arguments) \
  result(*name) parameters; /* NOLINT(bugprone-macro-parentheses): a declaration */
  COMMTAP_FOR_EACH_FUNCTION(COMMTAP_MEMBER)
#undef COMMTAP_MEMBER
};

/* Called in place of the functions of c10d that the stub interposes. Each calls `real`, the c10d function, once. Works,
 * groups and reducers are opaque pointers to c10d's objects. */
struct commtap_timing {
  /* ProcessGroupGloo::enqueue(intrusive_ptr<AsyncWork>) queues a collective for the threads of a Gloo group. */
  void (*enqueue)(void (*real)(void*, void*), void* group, void* work_pointer);
  /* ProcessGroupGloo::AsyncWork::execute(intrusive_ptr<AsyncWork> const&) runs it on one of these threads. */
  void (*execute)(void (*real)(void*), void* work_pointer);
  /* Work::wait(milliseconds), SendWork::wait and RecvWork::wait. */
  bool (*wait)(bool (*real)(void*, long), void* work, long timeout_ms);
  /* Reducer::finalize_backward(), in which DistributedDataParallel waits for its buckets. */
  void (*finalize_backward)(void (*real)(void*), void* reducer);
};

/* The functions of NCCL that the stub interposes, as of NCCL 2.32: they move data, begin or end a group, make or end a
 * communicator, or register memory. An older NCCL has a subset. AMD's RCCL has the same functions and
 * AllReduceWithBias, AllToAll and AllToAllv. */
/* clang-format off */
#define COMMTAP_FOR_EACH_NCCL_FUNCTION(function) \
  function(AllReduce) function(AllReduceConfig) function(AllReduceWithBias) function(ReduceScatter) function(ReduceScatterConfig) \
  function(AllGather) function(AllGatherConfig) function(AlltoAll) function(AlltoAllConfig) \
  function(AllToAll) function(AllToAllv) \
  function(Broadcast) function(BroadcastConfig) function(Bcast) function(Reduce) function(ReduceConfig) \
  function(Gather) function(GatherConfig) function(Scatter) function(ScatterConfig) \
  function(Send) function(Recv) function(PutSignal) function(Signal) function(WaitSignal) \
  function(GroupStart) function(GroupEnd) function(GroupSimulateEnd) \
  function(CommInitRank) function(CommInitRankConfig) function(CommInitRankScalable) function(CommInitAll) \
  function(CommSplit) function(CommShrink) function(CommGrow) function(CommSuspend) function(CommResume) \
  function(CommRevoke) function(CommFinalize) function(CommDestroy) function(CommAbort) \
  function(CommRegister) function(CommDeregister) \
  function(CommWindowRegister) function(CommWindowDeregister) function(DevCommCreate) function(DevCommDestroy) \
  function(MemAlloc) function(MemFree)
/* clang-format on */

enum commtap_nccl_function {
#define COMMTAP_NCCL_MEMBER(name) COMMTAP_NCCL_##name,
  COMMTAP_FOR_EACH_NCCL_FUNCTION(COMMTAP_NCCL_MEMBER)
#undef COMMTAP_NCCL_MEMBER
      COMMTAP_NCCL_FUNCTION_COUNT
};

/* One call of an NCCL function by the job or a library, not by NCCL itself. */
struct commtap_nccl_call {
  enum commtap_nccl_function function;
  int datatype;     /* ncclDataType_t; -1 for functions without one */
  size_t count;     /* elements, as the caller passed it; bytes for functions without a datatype */
  const void* comm; /* identifies the communicator: an ncclComm_t, or the profiler plugin's slot; NULL: none */
  void* stream;     /* cudaStream_t of a call that moves data, else NULL */
  void* timer;      /* the result of commtap_nccl's begins() */
  int result;       /* ncclResult_t; 0 for functions that end a communicator, which are reported before they run */
  /* Set if the profiler plugin reports the call: the ranks, as NCCL passed them to the plugin; 0 if unknown. */
  const struct commtap_nccl_place* place;
  /* The elements for each rank of the communicator, instead of `count`; NULL for every function but AllToAllv. */
  const size_t* counts;
};

struct commtap_nccl_place {
  int ranks; /* of the communicator */
  int rank;
};

struct commtap_nccl {
  /* Runs before a call that moves data. NULL unless COMMTAP_TIMING asks for times on the device. */
  void* (*begins)(const struct commtap_nccl_call* call);
  /* Runs before every call, and after begins(). Returns the token that is passed to returned(); NULL for a call that is
   * not noted. */
  void* (*entered)(const struct commtap_nccl_call* call);
  /* Runs first when a call has returned. */
  void (*returned)(void* open);
  /* Runs after a call, or before one that ends a communicator. */
  void (*called)(const struct commtap_nccl_call* call);
  /* Runs when a communicator that the plugin reported has ended. */
  void (*ended)(const void* comm);
  /* Runs before called() for a call that the plugin reports. Returns the token that is passed to ran() when the call's
   * kernels have ended; NULL if the call is not timed. NULL unless COMMTAP_TIMING asks for times on the device. */
  void* (*kernels_expected)(const struct commtap_nccl_call* call);
  /* `ns`: how long the kernels ran; 0 if that is unknown. */
  void (*ran)(void* timer, uint64_t ns);
};

/* Functions that the stub offers to the tracker. The first three ask NCCL and return an ncclResult_t. */
struct commtap_nccl_questions {
  int (*comm_count)(const void* comm, int* ranks);
  int (*comm_user_rank)(const void* comm, int* rank);
  int (*get_version)(int* version); /* 10000 * major + 100 * minor + patch */
  /* Runs in the child of a fork: the kernels of the parent's calls are not reported there. The stub cannot register a
   * fork handler of its own: it must stay loadable into programs of musl, which lacks glibc's function for that. */
  void (*forked)(void);
};

/* Reports on CUDA graphs. Streams, graphs and instances of graphs are opaque pointers to CUDA's objects. */
struct commtap_cuda {
  void (*capture_began)(void);
  /* Returns the capture that this stream is part of; 0 for none. */
  uint64_t (*capture_of)(void* stream);
  /* `graph`: the captured graph; NULL if the capture failed. */
  void (*capture_ended)(uint64_t capture, const void* graph);
  /* `other` is an instance or a copy of `graph`. */
  void (*shares)(const void* graph, const void* other);
  /* `child` has become part of `graph`. */
  void (*includes)(const void* graph, const void* child);
  void (*launched)(const void* instance, void* stream);
  /* Runs before a graph or an instance is destroyed. */
  void (*gone)(const void* graph);
};

/* Follows the order of work between CUDA's streams. Streams and events are opaque pointers to CUDA's objects. */
struct commtap_streams {
  /* Runs after an event was recorded on a stream. */
  void (*recorded)(void* event, void* stream);
  /* Runs before a stream is made to wait for an event. */
  void (*waits)(void* stream, void* event);
  /* Runs before a thread waits for an event or, if `event` is NULL, for a stream. Returns the token that is passed to
   * host_waited(); NULL for a wait that is not measured. */
  void* (*host_waits)(void* stream, void* event);
  void (*host_waited)(void* token);
};

struct commtap_tracker {
  unsigned abi;
  const char* torch_version; /* "2.13": the minor version that the tracker is built for */
  /* Runs once, after torch is loaded. `torch_version`: the full version, e.g. "2.13.0+cpu". `found_at_ns`:
   * CLOCK_MONOTONIC when torch was found, from which the cost of the start counts. */
  enum commtap_start_result (*start)(const char* torch_version, uint64_t found_at_ns);
  /* Writes the report as the process ends. `code`: the signal for COMMTAP_EXIT_SIGNAL, else the exit status as the
   * process passed it. May run more than once. */
  void (*finish)(enum commtap_exit how, int code);
  /* Runs before this process sends a signal to another process, or to the process group that `pid` leads, to end it. */
  void (*signals)(long pid, int signal);
  /* Runs after this process found that a signal ended its child. */
  void (*child_ended)(long pid, int signal);
  /* May be called after start(). Returns NULL unless COMMTAP_TIMING asks for durations. */
  const struct commtap_timing* (*timing)(void);
  /* May be called after start(). */
  const struct commtap_nccl* (*nccl)(const struct commtap_nccl_questions* questions);
  /* May be called after start(). */
  const struct commtap_cuda* (*cuda)(void);
  /* May be called after start(). Returns NULL unless COMMTAP_TIMING asks for times on the device. */
  const struct commtap_streams* (*streams)(void);
  /* Runs after the ranks have exchanged a tensor of symmetric memory. */
  void (*symmetric_memory_exchanged)(void);
  /* Runs before the process forgets all its process groups, whose backends have shut down. */
  void (*groups_destroyed)(void);
  struct commtap_api api;
};

#ifdef __cplusplus
}
#endif

#endif
