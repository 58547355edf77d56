/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A libnccl.so.2, and with STUB_RCCL a librccl.so.1, for machines without a GPU: it moves nothing and counts its calls.
 * On a stream of tests/cuda's driver a call takes one microsecond per element; the calls of a group are queued when the
 * group ends. As in the real one every nccl* is a weak alias of a pnccl*, and ncclBcast calls ncclBroadcast through the
 * PLT. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cuda/fake_cuda.h"

enum { kSuccess = 0, kInvalidArgument = 4, kInProgress = 7 };

struct communicator {
  int ranks;
  int rank;
  int asked; /* how many more calls say that a communicator made in the background is not ready */
};

struct unique_id {
  char internal[128];
};

/* The number of calls per function, for the job to compare with the report. */
struct counter {
  const char* name;
  uint64_t calls;
};
static struct counter counters[64];

/* Never returns if the job's STUB_NCCL_HANGS is this call: "ncclAllReduce:3". */
static void hang_if_asked(const struct counter* counter) {
  const char* asked = getenv("STUB_NCCL_HANGS");
  const size_t length = strlen(counter->name);
  if (asked != NULL && strncmp(asked, counter->name, length) == 0 && asked[length] == ':' &&
      strtoull(asked + length + 1, NULL, 10) == counter->calls) {
    for (;;) {
      pause();
    }
  }
}

static void count(const char* name) {
  struct counter* counter = counters;
  while (counter->name != NULL && strcmp(counter->name, name) != 0) {
    ++counter;
  }
  counter->name = name;
  ++counter->calls;
  hang_if_asked(counter);
}

uint64_t stub_nccl_calls(const char* name);
uint64_t stub_nccl_calls(const char* name) {
  for (const struct counter* counter = counters; counter->name != NULL; ++counter) {
    if (strcmp(counter->name, name) == 0) {
      return counter->calls;
    }
  }
  return 0;
}

#define FUNCTION(name, parameters)                                       \
  int pnccl##name parameters;                                            \
  __attribute__((weak, alias("pnccl" #name))) int nccl##name parameters; \
  int pnccl##name parameters

#define COUNTED(name, parameters, result) \
  FUNCTION(name, parameters) {            \
    count("nccl" #name);                  \
    return result;                        \
  }

static int groups_open;
static struct {
  void* stream;
  uint64_t ns;
} waiting[64];
static size_t waiting_count;

static void give(void* stream, uint64_t ns) {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  fake_cuda_work* give_work = driver == NULL ? NULL : (fake_cuda_work*)dlsym(driver, "fake_cuda_give_work");
  if (give_work != NULL) {
    give_work(stream, ns);
  }
}

static int run(const void* comm, void* stream, size_t n) {
  if (comm == NULL) {
    return kInvalidArgument;
  }
  if (stream != NULL && groups_open > 0) {
    waiting[waiting_count].stream = stream;
    waiting[waiting_count++].ns = n * 1000;
  } else if (stream != NULL) {
    give(stream, n * 1000);
  }
  return kSuccess;
}

static int end_group(void) {
  for (--groups_open; groups_open == 0 && waiting_count > 0;) {
    --waiting_count;
    give(waiting[waiting_count].stream, waiting[waiting_count].ns);
  }
  return kSuccess;
}

#define BUFFERS const void *send, void *recv, size_t n, int type
#define END void *comm, void *stream

COUNTED(AllReduce, (BUFFERS, int op, END), run(comm, stream, n))
COUNTED(ReduceScatter, (BUFFERS, int op, END), run(comm, stream, n))
COUNTED(AllGather, (BUFFERS, END), run(comm, stream, n))
COUNTED(AlltoAll, (BUFFERS, END), run(comm, stream, n))
COUNTED(Broadcast, (BUFFERS, int root, END), run(comm, stream, n))
COUNTED(Reduce, (BUFFERS, int op, int root, END), run(comm, stream, n))
#ifdef STUB_RCCL
COUNTED(AllReduceWithBias, (BUFFERS, int op, END, const void* bias), run(comm, stream, n))
COUNTED(AllToAll, (BUFFERS, END), run(comm, stream, n))
COUNTED(
    AllToAllv,
    (const void* send,
     const size_t* counts,
     const size_t* offsets,
     void* recv,
     const size_t* recv_counts,
     const size_t* recv_offsets,
     int type,
     END),
    run(comm, stream, counts[0]))
#endif
COUNTED(AllReduceConfig, (BUFFERS, int op, END, const void* config), run(comm, stream, n))
COUNTED(Send, (const void* buffer, size_t n, int type, int peer, END), run(comm, stream, n))
COUNTED(Recv, (void* buffer, size_t n, int type, int peer, END), run(comm, stream, n))
COUNTED(GroupStart, (void), (++groups_open, kSuccess))
COUNTED(GroupEnd, (void), end_group())

int ncclBroadcast(BUFFERS, int root, END);

FUNCTION(Bcast, (void* buffer, size_t n, int type, int root, END)) {
  count("ncclBcast");
  return ncclBroadcast(buffer, buffer, n, type, root, comm, stream);
}

static int make(void** comm, int ranks, int rank, int asked) {
  struct communicator* made = malloc(sizeof(*made));
  *made = (struct communicator){ranks, rank, asked};
  *comm = made;
  return kSuccess;
}

FUNCTION(CommInitRank, (void** comm, int ranks, struct unique_id id, int rank)) {
  count("ncclCommInitRank");
  return id.internal[127] == 'x' ? make(comm, ranks, rank, 0) : kInvalidArgument;
}

/* In the background. */
FUNCTION(CommInitRankConfig, (void** comm, int ranks, struct unique_id id, int rank, void* config)) {
  count("ncclCommInitRankConfig");
  make(comm, ranks, rank, 2);
  return kInProgress;
}

FUNCTION(CommSplit, (void* comm, int color, int key, void** made, void* config)) {
  count("ncclCommSplit");
  return make(made, ((struct communicator*)comm)->ranks / 2, key, 0);
}

FUNCTION(CommDestroy, (void* comm)) {
  count("ncclCommDestroy");
  free(comm);
  return kSuccess;
}

FUNCTION(CommCount, (const void* comm, int* ranks)) {
  struct communicator* asked = (struct communicator*)comm;
  if (asked->asked > 0) {
    --asked->asked;
    return kInProgress;
  }
  *ranks = asked->ranks;
  return kSuccess;
}

FUNCTION(CommUserRank, (const void* comm, int* rank)) {
  *rank = ((const struct communicator*)comm)->rank;
  return kSuccess;
}

FUNCTION(GetVersion, (int* version)) {
  *version = 22907;
  return kSuccess;
}
