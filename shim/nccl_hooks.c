/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The functions of NCCL that libcommtap.so interposes: the calls that c10d makes, and those of other libraries.
 *
 * libtorch_cuda.so calls libnccl.so.2 through its PLT, so its calls go through the shim, and so do those of
 * libtorch_hip.so to librccl.so.1. NCCL's and CUDA's pointers are opaque and NCCL's enumerations are ints, so no header
 * of theirs is needed. The rules of hooks.c apply. */

#define _GNU_SOURCE
#include "shim/nccl_hooks.h"

#include <stddef.h>

#include "shim/loaded.h"
#include "shim/nccl_kernels.h"
#include "shim/real_function.h"

#define EXPORT __attribute__((visibility("default")))
#define REAL(slot, symbol, ours) commtap_real(slot, symbol, NULL, "libnccl.so.2", (const void*)(ours))

enum { kInvalidUsage = 5 }; /* ncclInvalidUsage */

struct commtap_unique_id {
  char internal[128]; /* NCCL_UNIQUE_ID_BYTES; passed by value */
};

/* ncclBcast calls ncclBroadcast through the PLT: only the outer call counts. initial-exec takes the variable from the
 * loader's static TLS surplus; the general dynamic model would call the loader at each access. */
static __thread unsigned calls_open __attribute__((tls_model("initial-exec")));

bool commtap_in_nccl_call(void) {
  return calls_open > 0;
}

static bool hooked;

bool commtap_nccl_is_hooked(void) {
  return __atomic_load_n(&hooked, __ATOMIC_RELAXED);
}

static inline void enter(void) {
  ++calls_open;
  if (__builtin_expect(!commtap_nccl_is_hooked(), 0)) {
    __atomic_store_n(&hooked, true, __ATOMIC_RELAXED);
  }
}

static inline void leave(void) {
  --calls_open;
}

/* `real` is NULL if the loaded NCCL lacks the function: a caller with a weak reference finds the shim's. */
#define BEGIN(name, parameters)                                                  \
  static void* slot;                                                             \
  int(*real) parameters; /* NOLINT(bugprone-macro-parentheses): a declaration */ \
  *(void**)&real = REAL(&slot, "nccl" #name, nccl##name);                        \
  const struct commtap_nccl* nccl = commtap_loaded.nccl;                         \
  if (__builtin_expect(real == NULL, 0)) {                                       \
    return kInvalidUsage;                                                        \
  }

#define PREPARE(name, arguments, datatype_, count_, comm_, stream_) \
  if (nccl == NULL || calls_open > 0) {                             \
    return real arguments;                                          \
  }                                                                 \
  struct commtap_nccl_call call = {                                 \
      .function = COMMTAP_NCCL_##name,                              \
      .datatype = (datatype_),                                      \
      .count = (count_),                                            \
      .comm = (comm_),                                              \
      .stream = (stream_),                                          \
      .result = kInvalidUsage};

#define RUN(arguments)                          \
  void* const open_call = nccl->entered(&call); \
  enter();                                      \
  call.result = real arguments;                 \
  leave();                                      \
  if (open_call != NULL) {                      \
    nccl->returned(open_call);                  \
  }

/* Reports a call after it has returned, with its result. */
#define HOOK(name, parameters, arguments, datatype, count, comm) \
  EXPORT int nccl##name parameters;                              \
  EXPORT int nccl##name parameters {                             \
    BEGIN(name, parameters)                                      \
    PREPARE(name, arguments, datatype, count, comm, NULL)        \
    RUN(arguments)                                               \
    nccl->called(&call);                                         \
    return call.result;                                          \
  }

/* Reports a call that moves data. It has the parameters `comm` and `stream`. `counts_`: the elements for each rank, if
 * they differ. */
#define MOVING_HOOK_OF_COUNTS(name, parameters, arguments, datatype, count, counts_) \
  EXPORT int nccl##name parameters;                                                  \
  EXPORT int nccl##name parameters {                                                 \
    BEGIN(name, parameters)                                                          \
    PREPARE(name, arguments, datatype, count, comm, stream)                          \
    call.counts = (counts_);                                                         \
    if (nccl->begins != NULL) {                                                      \
      call.timer = nccl->begins(&call);                                              \
    }                                                                                \
    RUN(arguments)                                                                   \
    nccl->called(&call);                                                             \
    return call.result;                                                              \
  }
#define MOVING_HOOK(name, parameters, arguments, datatype, count) \
  MOVING_HOOK_OF_COUNTS(name, parameters, arguments, datatype, count, NULL)

/* Reports a call that makes a communicator, which exists only after the call. */
#define MAKING_HOOK(name, parameters, arguments, made) \
  EXPORT int nccl##name parameters;                    \
  EXPORT int nccl##name parameters {                   \
    BEGIN(name, parameters)                            \
    PREPARE(name, arguments, -1, 0, NULL, NULL)        \
    RUN(arguments)                                     \
    call.comm = call.result == 0 ? *(made) : NULL;     \
    nccl->called(&call);                               \
    return call.result;                                \
  }

/* Reports a call that ends a communicator before it runs: afterwards another communicator may have its address. */
#define ENDING_HOOK(name)                    \
  EXPORT int nccl##name(void* comm);         \
  EXPORT int nccl##name(void* comm) {        \
    BEGIN(name, (void*))                     \
    PREPARE(name, (comm), -1, 0, comm, NULL) \
    call.result = 0;                         \
    nccl->called(&call);                     \
    RUN((comm))                              \
    return call.result;                      \
  }

/* The parameter lists of collectives with two buffers: plain, with a reduction or a root, with both. Since NCCL 2.31
 * each has a second function with a configuration as its last parameter. */
/* clang-format off */
#define TWO_BUFFERS const void *send, void *recv, size_t count, int type
#define COLLECTIVE_HOOK(name) \
  MOVING_HOOK(name, (TWO_BUFFERS, void* comm, void* stream), (send, recv, count, type, comm, stream), type, count) \
  MOVING_HOOK(name##Config, (TWO_BUFFERS, void* comm, void* stream, const void* config), \
       (send, recv, count, type, comm, stream, config), type, count)
#define CHOICE_HOOK(name) \
  MOVING_HOOK(name, (TWO_BUFFERS, int choice, void* comm, void* stream), \
       (send, recv, count, type, choice, comm, stream), type, count) \
  MOVING_HOOK(name##Config, (TWO_BUFFERS, int choice, void* comm, void* stream, const void* config), \
       (send, recv, count, type, choice, comm, stream, config), type, count)
#define REDUCE_TO_ROOT_HOOK(name) \
  MOVING_HOOK(name, (TWO_BUFFERS, int op, int root, void* comm, void* stream), \
       (send, recv, count, type, op, root, comm, stream), type, count) \
  MOVING_HOOK(name##Config, (TWO_BUFFERS, int op, int root, void* comm, void* stream, const void* config), \
       (send, recv, count, type, op, root, comm, stream, config), type, count)
/* clang-format on */

COLLECTIVE_HOOK(AllGather)
COLLECTIVE_HOOK(AlltoAll)
CHOICE_HOOK(AllReduce)     /* choice: the reduction */
CHOICE_HOOK(ReduceScatter) /* choice: the reduction */
CHOICE_HOOK(Broadcast)     /* choice: the root */
CHOICE_HOOK(Gather)        /* choice: the root */
CHOICE_HOOK(Scatter)       /* choice: the root */
REDUCE_TO_ROOT_HOOK(Reduce)

MOVING_HOOK(
    AllReduceWithBias,
    (TWO_BUFFERS, int op, void* comm, void* stream, const void* bias),
    (send, recv, count, type, op, comm, stream, bias),
    type,
    count)
MOVING_HOOK(AllToAll, (TWO_BUFFERS, void* comm, void* stream), (send, recv, count, type, comm, stream), type, count)
MOVING_HOOK_OF_COUNTS(
    AllToAllv,
    (const void* send,
     const size_t* send_counts,
     const size_t* send_offsets,
     void* recv,
     const size_t* recv_counts,
     const size_t* recv_offsets,
     int type,
     void* comm,
     void* stream),
    (send, send_counts, send_offsets, recv, recv_counts, recv_offsets, type, comm, stream),
    type,
    0,
    send_counts)

MOVING_HOOK(
    Bcast,
    (void* buffer, size_t count, int type, int root, void* comm, void* stream),
    (buffer, count, type, root, comm, stream),
    type,
    count)
MOVING_HOOK(
    Send,
    (const void* buffer, size_t count, int type, int peer, void* comm, void* stream),
    (buffer, count, type, peer, comm, stream),
    type,
    count)
MOVING_HOOK(
    Recv,
    (void* buffer, size_t count, int type, int peer, void* comm, void* stream),
    (buffer, count, type, peer, comm, stream),
    type,
    count)

MOVING_HOOK(
    PutSignal,
    (const void* buffer,
     size_t count,
     int type,
     int peer,
     void* window,
     size_t offset,
     int signal,
     int context,
     unsigned flags,
     void* comm,
     void* stream),
    (buffer, count, type, peer, window, offset, signal, context, flags, comm, stream),
    type,
    count)
MOVING_HOOK(
    Signal,
    (int peer, int signal, int context, unsigned flags, void* comm, void* stream),
    (peer, signal, context, flags, comm, stream),
    -1,
    0)
MOVING_HOOK(
    WaitSignal,
    (int description_count, void* descriptions, void* comm, void* stream),
    (description_count, descriptions, comm, stream),
    -1,
    0)

HOOK(GroupStart, (void), (), -1, 0, NULL)
HOOK(GroupEnd, (void), (), -1, 0, NULL)
HOOK(GroupSimulateEnd, (void* info), (info), -1, 0, NULL)

MAKING_HOOK(
    CommInitRank,
    (void** made, int ranks, struct commtap_unique_id id, int rank),
    (made, ranks, id, rank),
    made)
MAKING_HOOK(
    CommInitRankConfig,
    (void** made, int ranks, struct commtap_unique_id id, int rank, void* config),
    (made, ranks, id, rank, config),
    made)
MAKING_HOOK(
    CommInitRankScalable,
    (void** made, int ranks, int rank, int id_count, void* ids, void* config),
    (made, ranks, rank, id_count, ids, config),
    made)
MAKING_HOOK(
    CommSplit,
    (void* comm, int color, int key, void** made, void* config),
    (comm, color, key, made, config),
    made)
MAKING_HOOK(
    CommShrink,
    (void* comm, int* excluded, int excluded_count, void** made, void* config, int flags),
    (comm, excluded, excluded_count, made, config, flags),
    made)
MAKING_HOOK(
    CommGrow,
    (void* comm, int ranks, const void* id, int rank, void** made, void* config),
    (comm, ranks, id, rank, made, config),
    made)
HOOK(CommInitAll, (void** made, int count, const int* devices), (made, count, devices), -1, 0, NULL)

HOOK(CommSuspend, (void* comm, int flags), (comm, flags), -1, 0, comm)
HOOK(CommResume, (void* comm), (comm), -1, 0, comm)
HOOK(CommRevoke, (void* comm, int flags), (comm, flags), -1, 0, comm)
HOOK(CommFinalize, (void* comm), (comm), -1, 0, comm)
ENDING_HOOK(CommDestroy)
ENDING_HOOK(CommAbort)

HOOK(CommRegister, (void* comm, void* buffer, size_t size, void** handle), (comm, buffer, size, handle), -1, size, comm)
HOOK(CommDeregister, (void* comm, void* handle), (comm, handle), -1, 0, comm)
HOOK(
    CommWindowRegister,
    (void* comm, void* buffer, size_t size, void** window, int flags),
    (comm, buffer, size, window, flags),
    -1,
    size,
    comm)
HOOK(CommWindowDeregister, (void* comm, void* window), (comm, window), -1, 0, comm)
HOOK(DevCommCreate, (void* comm, const void* requirements, void* made), (comm, requirements, made), -1, 0, comm)
HOOK(DevCommDestroy, (void* comm, const void* dev_comm), (comm, dev_comm), -1, 0, comm)
HOOK(MemAlloc, (void** memory, size_t size), (memory, size), -1, size, NULL)
HOOK(MemFree, (void* memory), (memory), -1, 0, NULL)

#define QUESTION(name, symbol, parameters, arguments)                              \
  static int name parameters {                                                     \
    static void* slot;                                                             \
    int(*real) parameters; /* NOLINT(bugprone-macro-parentheses): a declaration */ \
    *(void**)&real = REAL(&slot, symbol, NULL);                                    \
    return real == NULL ? kInvalidUsage : real arguments;                          \
  }

QUESTION(comm_count, "ncclCommCount", (const void* comm, int* ranks), (comm, ranks))
QUESTION(comm_user_rank, "ncclCommUserRank", (const void* comm, int* rank), (comm, rank))
QUESTION(get_version, "ncclGetVersion", (int* version), (version))

const struct commtap_nccl_questions commtap_nccl_questions = {
    .comm_count = comm_count,
    .comm_user_rank = comm_user_rank,
    .get_version = get_version,
    .forked = commtap_kernels_forget};
