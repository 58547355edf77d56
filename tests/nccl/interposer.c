/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A second preloaded library that wraps NCCL, as NVIDIA's contrib/nccl_checkpoint does: it gives the job small numbers
 * for communicators, and finds the next function by RTLD_NEXT alone. Says on stderr how many calls it passed on. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { kInternalError = 3, kMostCommunicators = 4096 };

struct unique_id {
  char internal[128];
};

static void* real_communicators[kMostCommunicators];
static uintptr_t last_number;
static unsigned long passed_on;

/* NCCL's own calls come here with real communicators. */
static void* real_of(void* comm) {
  return (uintptr_t)comm < kMostCommunicators ? real_communicators[(uintptr_t)comm] : comm;
}

static void number(void** made, int result) {
  if (*made != NULL && (result == 0 || result == 7) && last_number + 1 < kMostCommunicators) {
    real_communicators[++last_number] = *made;
    *made = (void*)last_number; /* NOLINT(performance-no-int-to-ptr) */
  }
}

#define WRAP(name, parameters, arguments)                                          \
  int nccl##name parameters;                                                       \
  int nccl##name parameters {                                                      \
    int(*next) parameters; /* NOLINT(bugprone-macro-parentheses): a declaration */ \
    *(void**)&next = dlsym(RTLD_NEXT, "nccl" #name);                               \
    ++passed_on;                                                                   \
    return next == NULL ? kInternalError : next arguments;                         \
  }

#define WRAP_MAKING(name, parameters, arguments, made)                             \
  int nccl##name parameters;                                                       \
  int nccl##name parameters {                                                      \
    int(*next) parameters; /* NOLINT(bugprone-macro-parentheses): a declaration */ \
    *(void**)&next = dlsym(RTLD_NEXT, "nccl" #name);                               \
    ++passed_on;                                                                   \
    const int result = next == NULL ? kInternalError : next arguments;             \
    number(made, result);                                                          \
    return result;                                                                 \
  }

#define BUFFERS const void *send, void *recv, size_t count, int type
#define REAL real_of(comm)

WRAP(AllReduce, (BUFFERS, int op, void* comm, void* stream), (send, recv, count, type, op, REAL, stream))
WRAP(ReduceScatter, (BUFFERS, int op, void* comm, void* stream), (send, recv, count, type, op, REAL, stream))
WRAP(AllGather, (BUFFERS, void* comm, void* stream), (send, recv, count, type, REAL, stream))
WRAP(Broadcast, (BUFFERS, int root, void* comm, void* stream), (send, recv, count, type, root, REAL, stream))
WRAP(
    Bcast,
    (void* buffer, size_t count, int type, int root, void* comm, void* stream),
    (buffer, count, type, root, REAL, stream))
WRAP(
    Send,
    (const void* buffer, size_t count, int type, int peer, void* comm, void* stream),
    (buffer, count, type, peer, REAL, stream))
WRAP(
    Recv,
    (void* buffer, size_t count, int type, int peer, void* comm, void* stream),
    (buffer, count, type, peer, REAL, stream))
WRAP(AllToAll, (BUFFERS, void* comm, void* stream), (send, recv, count, type, REAL, stream))
WRAP(
    AllToAllv,
    (const void* send,
     const size_t* counts,
     const size_t* offsets,
     void* recv,
     const size_t* recv_counts,
     const size_t* recv_offsets,
     int type,
     void* comm,
     void* stream),
    (send, counts, offsets, recv, recv_counts, recv_offsets, type, REAL, stream))
WRAP(
    AllReduceWithBias,
    (BUFFERS, int op, void* comm, void* stream, const void* bias),
    (send, recv, count, type, op, REAL, stream, bias))
WRAP(GroupStart, (void), ())
WRAP(GroupEnd, (void), ())
WRAP(CommCount, (void* comm, int* ranks), (REAL, ranks))
WRAP(CommUserRank, (void* comm, int* rank), (REAL, rank))
WRAP(CommDestroy, (void* comm), (REAL))
WRAP_MAKING(CommInitRank, (void** made, int ranks, struct unique_id id, int rank), (made, ranks, id, rank), made)
WRAP_MAKING(
    CommInitRankConfig,
    (void** made, int ranks, struct unique_id id, int rank, void* config),
    (made, ranks, id, rank, config),
    made)
WRAP_MAKING(
    CommSplit,
    (void* comm, int color, int key, void** made, void* config),
    (REAL, color, key, made, config),
    made)

#ifdef INTERPOSER_IS_LINKED
/* Without a use of NCCL, a linker leaves it out of the libraries that are needed. */
int ncclGetVersion(int* version);
int (*const interposer_needs_nccl)(int* version) = ncclGetVersion;
#endif

__attribute__((destructor)) static void say(void) {
  if (passed_on > 0) {
    fprintf(stderr, "interposer: %lu calls\n", passed_on);
  }
}
