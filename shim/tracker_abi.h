/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TRACKER_ABI_H
#define COMMTAP_SHIM_TRACKER_ABI_H

/* What the preloaded stub and a tracker know of each other. Any change makes a new COMMTAP_ABI. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/commtap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMMTAP_ABI 7U
#define COMMTAP_TRACKER_SYMBOL "commtap_tracker_table" /* const struct commtap_tracker* (*)(void) */

enum commtap_exit {
  COMMTAP_EXIT_NORMAL = 1,
  COMMTAP_EXIT_UNDERSCORE = 2,
  COMMTAP_EXIT_SIGNAL = 3,
};

/* What stands behind the functions of commtap.h. */
struct commtap_api {
#define COMMTAP_MEMBER(result, name, parameters, arguments) \
  result(*name) parameters; /* NOLINT(bugprone-macro-parentheses): a declaration */
  COMMTAP_FOR_EACH_FUNCTION(COMMTAP_MEMBER)
#undef COMMTAP_MEMBER
};

/* Called in place of the functions of c10d that the stub stands in front of, with the real one, which each calls once.
 * A work, a group, a reducer: opaque pointers to c10d's objects. */
struct commtap_timing {
  /* ProcessGroupGloo::enqueue(intrusive_ptr<AsyncWork>): a collective is handed to the threads of a Gloo group. */
  void (*enqueue)(void (*real)(void*, void*), void* group, void* work_pointer);
  /* ProcessGroupGloo::AsyncWork::execute(intrusive_ptr<AsyncWork> const&): one of these threads carries it out. */
  void (*execute)(void (*real)(void*), void* work_pointer);
  /* Work::wait(milliseconds), and that of SendWork and RecvWork. */
  bool (*wait)(bool (*real)(void*, long), void* work, long timeout_ms);
  /* Reducer::finalize_backward(): DistributedDataParallel waits for its buckets. */
  void (*finalize_backward)(void (*real)(void*), void* reducer);
};

/* The functions of NCCL that the stub stands in front of, as of NCCL 2.32: those that move data, begin or end a group,
 * make or end a communicator, register memory. Those of an older NCCL are the first of these. */
/* clang-format off */
#define COMMTAP_FOR_EACH_NCCL_FUNCTION(function) \
  function(AllReduce) function(AllReduceConfig) function(ReduceScatter) function(ReduceScatterConfig) \
  function(AllGather) function(AllGatherConfig) function(AlltoAll) function(AlltoAllConfig) \
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

/* One call of a function of NCCL that no other function of NCCL makes. */
struct commtap_nccl_call {
  enum commtap_nccl_function function;
  int datatype;     /* ncclDataType_t; -1: it has none */
  size_t count;     /* of elements, as the caller gave it; of bytes where there is no datatype */
  const void* comm; /* names the communicator: an ncclComm_t, or what the profiler plugin has for one; NULL: none */
  void* stream;     /* cudaStream_t that the call works on, where it moves data */
  void* timer;      /* what commtap_nccl's begins() gave for it */
  int result;       /* ncclResult_t; 0 of a function that ends a communicator, which is told of before it does */
  /* Of the communicator, as NCCL has told its profiler plugin, which then tells of the call; else NULL. */
  const struct commtap_nccl_place* place;
};

struct commtap_nccl_place {
  int ranks;
  int rank;
};

struct commtap_nccl {
  /* Before the call, of one that moves data; NULL unless COMMTAP_TIMING asks for times on the device. */
  void* (*begins)(const struct commtap_nccl_call* call);
  void (*called)(const struct commtap_nccl_call* call);
  /* A communicator that the plugin told of is gone. */
  void (*ended)(const void* comm);
  /* Of a call that the plugin is about to tell of, likewise NULL: what to hand to ran() when its kernels are over. NULL
   * if it is not timed. */
  void* (*kernels_expected)(const struct commtap_nccl_call* call);
  /* 0 ns: it is not known how long. */
  void (*ran)(void* timer, uint64_t ns);
};

/* What the tracker asks NCCL, each with an ncclResult_t, and what it tells the stub. */
struct commtap_nccl_questions {
  int (*comm_count)(const void* comm, int* ranks);
  int (*comm_user_rank)(const void* comm, int* rank);
  int (*get_version)(int* version); /* 10000 * major + 100 * minor + patch */
  /* In the child of a fork, to the stub: no kernel that was expected is. The stub has no fork handler of its own, which
   * musl's programs, into which it is preloaded as well, could not give it. */
  void (*forked)(void);
};

/* What becomes of CUDA graphs. A stream, a graph, an instance of a graph: opaque pointers to CUDA's objects. */
struct commtap_cuda {
  void (*capture_began)(void);
  /* The capture that this stream is part of; 0: none. */
  uint64_t (*capture_of)(void* stream);
  /* `graph`: what was captured; NULL if the capture has failed. */
  void (*capture_ended)(uint64_t capture, const void* graph);
  /* `other` is an instance or a copy of `graph`. */
  void (*shares)(const void* graph, const void* other);
  /* `child` has become part of `graph`. */
  void (*includes)(const void* graph, const void* child);
  void (*launched)(const void* instance, void* stream);
  /* A graph or an instance is about to end. */
  void (*gone)(const void* graph);
};

struct commtap_tracker {
  unsigned abi;
  const char* torch_version; /* the "2.13" that it was built for */
  /* Once, when torch is there. `torch_version`: the full version found, e.g. "2.13.0+cpu". `found_at_ns`: when, by the
   * steady clock: what the start has cost counts from there. 0 on success. */
  int (*start)(const char* torch_version, uint64_t found_at_ns);
  /* The process ends: write the report. `signal` only with COMMTAP_EXIT_SIGNAL. May be called more than once. */
  void (*finish)(enum commtap_exit how, int signal);
  /* After start(): NULL unless COMMTAP_TIMING asks for durations. */
  const struct commtap_timing* (*timing)(void);
  /* After start(). */
  const struct commtap_nccl* (*nccl)(const struct commtap_nccl_questions* questions);
  /* After start(). */
  const struct commtap_cuda* (*cuda)(void);
  struct commtap_api api;
};

#ifdef __cplusplus
}
#endif

#endif
