/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* NCCL's profiler plugin, for calls that do not come through nccl_hooks.c: of an NCCL that is linked into another
 * library, or that is called by addresses from its own handle. NCCL looks for it here only if the job's environment has
 * NCCL_PROFILER_PLUGIN=STATIC_PLUGIN. It is told of calls alone, on the thread that makes them; of kernels only for
 * calls that are timed, and only if COMMTAP_TIMING asks for times on the device.
 *
 * Layouts: ncclProfiler_v4 (NCCL 2.27) to _v7 (2.31) in src/include/plugin/profiler of NCCL, compared with the debug
 * information of the libraries of 2.31.2 and 2.32.3. What v5 to v7 have of calls lies at the same place. The rules of
 * hooks.c hold here too. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "shim/loader.h"
#include "shim/nccl_hooks.h"
#include "shim/nccl_kernels.h"

#define EXPORT __attribute__((visibility("default")))

enum { kSuccess = 0 };

/* Of events, as bits of a mask. */
enum {
  kCollective = 1 << 1, /* v4 alone: one that was enqueued */
  kPointToPoint = 1 << 2,
  kKernel = 1 << 6,         /* of one channel of a call */
  kCollectiveCall = 1 << 9, /* from v5: the function was called */
  kPointToPointCall = 1 << 10,
};

enum { kKernelStopped = 22 }; /* a state of events */

/* What v4 to v7 have alike, behind the type. */
struct commtap_collective_event {
  uint64_t sequence;
  const char* function; /* "AllReduce" */
  const void* send;
  void* receive;
  size_t count;
  int root;
  const char* datatype; /* "ncclFloat32" */
  uint8_t channels;
};
struct commtap_point_to_point_event {
  const char* function;
  void* buffer;
  const char* datatype;
  size_t count;
  int peer;
  uint8_t channels;
};
struct commtap_kernel_event {
  uint8_t channel;
  uint64_t gpu_ns;
};

union commtap_enqueued_event {
  struct commtap_collective_event collective;
  struct commtap_point_to_point_event point_to_point;
  struct commtap_kernel_event kernel;
};
#define AT(type, member, offset) \
  _Static_assert(offsetof(struct type, member) == (offset), "layout of ncclProfilerEventDescr_t")
AT(commtap_collective_event, function, 8);
AT(commtap_collective_event, count, 32);
AT(commtap_collective_event, datatype, 48);
AT(commtap_collective_event, channels, 56);
AT(commtap_point_to_point_event, datatype, 16);
AT(commtap_point_to_point_event, count, 24);
AT(commtap_point_to_point_event, channels, 36);
AT(commtap_kernel_event, gpu_ns, 8);

/* v5 to v7. */
struct commtap_event {
  uint64_t type;
  void* parent;
  int rank;
  union {
    struct {
      const char* function;
      size_t count;
      const char* datatype;
      int root;
      void* stream;
    } collective_call;
    struct {
      const char* function;
      size_t count;
      const char* datatype;
      void* stream;
    } point_to_point_call;
    union commtap_enqueued_event enqueued;
  };
};
AT(commtap_event, parent, 8);
AT(commtap_event, collective_call.function, 24);
AT(commtap_event, collective_call.count, 32);
AT(commtap_event, collective_call.datatype, 40);
AT(commtap_event, collective_call.stream, 56);
AT(commtap_event, point_to_point_call.datatype, 40);
AT(commtap_event, point_to_point_call.stream, 48);
AT(commtap_event, enqueued, 24);

struct commtap_event_v4 {
  uint8_t type;
  void* parent;
  int rank;
  union commtap_enqueued_event enqueued;
};
AT(commtap_event_v4, parent, 8);
AT(commtap_event_v4, enqueued, 24);

/* With the state kKernelStopped. */
struct commtap_state {
  uint64_t gpu_ns;
};

/* One for each communicator that there is; more than these are counted without one. */
enum { kPlaces = 1024 };
static struct {
  struct commtap_nccl_place place;
  bool taken;
} places[kPlaces];
/* Of all communicators, kept by NCCL: the kinds of events that it tells of. NULL: there is none yet. */
static int* wanted;

static void* take_place(int ranks, int rank) {
  for (size_t i = 0; i < kPlaces; ++i) {
    if (!__atomic_exchange_n(&places[i].taken, true, __ATOMIC_ACQ_REL)) {
      places[i].place.ranks = ranks;
      places[i].place.rank = rank;
      return &places[i].place;
    }
  }
  return NULL;
}

/* Those that the plugin knows by name; -1 for another. */
static int function_of(const char* name) {
  static const struct {
    const char* name;
    enum commtap_nccl_function function;
  } functions[] = {
#define KNOWN(name) {#name, COMMTAP_NCCL_##name},
      COMMTAP_FOR_EACH_NCCL_FUNCTION(KNOWN)
#undef KNOWN
  };
  for (size_t i = 0; name != NULL && i < sizeof(functions) / sizeof(functions[0]); ++i) {
    if (strcmp(functions[i].name, name) == 0) {
      return (int)functions[i].function;
    }
  }
  return -1;
}

/* ncclDataType_t; one past the last for another. */
static int datatype_of(const char* name) {
  static const char* const kNames[] = {
      "ncclInt8",
      "ncclUint8",
      "ncclInt32",
      "ncclUint32",
      "ncclInt64",
      "ncclUint64",
      "ncclFloat16",
      "ncclFloat32",
      "ncclFloat64",
      "ncclBfloat16",
      "ncclFloat8e4m3",
      "ncclFloat8e5m2"};
  int datatype = 0;
  while (datatype < (int)(sizeof(kNames) / sizeof(kNames[0])) &&
         (name == NULL || strcmp(kNames[datatype], name) != 0)) {
    ++datatype;
  }
  return datatype;
}

/* Of the call, if it is timed; 0: not. */
static commtap_kernels
tell(const struct commtap_nccl_place* place, const char* function, size_t count, const char* datatype, void* stream) {
  static const struct commtap_nccl_place nowhere;
  const int known = function_of(function);
  const struct commtap_nccl* nccl = commtap_loaded_nccl();
  if (nccl == NULL || known < 0) {
    return 0;
  }
  const struct commtap_nccl_call call = {
      (enum commtap_nccl_function)known,
      datatype_of(datatype),
      count,
      place,
      stream,
      NULL,
      kSuccess,
      place == NULL ? &nowhere : place};
  void* timer = nccl->kernels_expected == NULL ? NULL : nccl->kernels_expected(&call);
  nccl->called(&call);
  return timer == NULL ? 0 : commtap_kernels_expected(timer);
}

static bool may_time(void) {
  const struct commtap_nccl* nccl = commtap_loaded_nccl();
  return nccl != NULL && nccl->kernels_expected != NULL;
}

static int
init(void** context, uint64_t communicator, int* mask, const char* name, int nodes, int ranks, int rank, void* log) {
  (void)communicator, (void)name, (void)nodes, (void)log;
  *context = take_place(ranks, rank);
  *mask = commtap_loaded_nccl() == NULL ? 0 : kCollectiveCall | kPointToPointCall;
  __atomic_store_n(&wanted, mask, __ATOMIC_RELEASE);
  return kSuccess;
}

static int
init_v4(void** context, int* mask, const char* name, uint64_t communicator, int nodes, int ranks, int rank, void* log) {
  (void)communicator, (void)name, (void)nodes, (void)log;
  *context = take_place(ranks, rank);
  *mask = commtap_loaded_nccl() == NULL ? 0 : kCollective | kPointToPoint | (may_time() ? kKernel : 0);
  return kSuccess;
}

/* NCCL is to tell of kernels, which costs the GPU something, only for a call that is timed. It looks when it launches
 * them: within the call, or at the end of its group. */
static void want_kernels(bool want) {
  int* mask = __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
  if (mask != NULL) {
    const int calls = kCollectiveCall | kPointToPointCall;
    __atomic_store_n(mask, want ? calls | kCollective | kPointToPoint | kKernel : calls, __ATOMIC_RELAXED);
  }
}

/* On the thread that calls NCCL, inside its call: what came through nccl_hooks.c is counted there. */
static commtap_kernels
called(const struct commtap_nccl_place* place, const char* function, size_t count, const char* datatype, void* stream) {
  const commtap_kernels kernels = commtap_in_nccl_call() ? 0 : tell(place, function, count, datatype, stream);
  if (may_time()) {
    want_kernels(kernels != 0);
  }
  return kernels;
}

/* `kernels`: the call that this is part of. 0 for events of other kinds, which are sent for the sake of these. */
static commtap_kernels follow(commtap_kernels kernels, uint64_t type, const union commtap_enqueued_event* event) {
  switch (type) {
    case kCollective:
      commtap_kernels_enqueued(kernels, event->collective.channels);
      return kernels;
    case kPointToPoint:
      commtap_kernels_enqueued(kernels, event->point_to_point.channels);
      return kernels;
    case kKernel:
      commtap_kernel_begins(kernels, event->kernel.gpu_ns);
      return kernels;
    default:
      return 0;
  }
}

/* An event's handle is the number of the call that it is part of; those of a call that is not timed have none. */
static int start_event(void* context, void** handle, const struct commtap_event* event) {
  commtap_kernels kernels = 0;
  if (event->type == kCollectiveCall) {
    kernels = called(
        context,
        event->collective_call.function,
        event->collective_call.count,
        event->collective_call.datatype,
        event->collective_call.stream);
  } else if (event->type == kPointToPointCall) {
    kernels = called(
        context,
        event->point_to_point_call.function,
        event->point_to_point_call.count,
        event->point_to_point_call.datatype,
        event->point_to_point_call.stream);
  } else {
    kernels = follow((commtap_kernels)event->parent, event->type, &event->enqueued);
  }
  *(commtap_kernels*)handle = kernels;
  return kSuccess;
}

/* v4 tells of what is enqueued, perhaps by a thread of NCCL's own after the call: where calls come through nccl_hooks.c
 * at all it cannot be told which of these they are. */
static int start_event_v4(void* context, void** handle, const struct commtap_event_v4* event) {
  *handle = NULL;
  if (commtap_nccl_is_hooked()) {
    return kSuccess;
  }
  commtap_kernels kernels = (commtap_kernels)event->parent;
  const struct commtap_collective_event* collective = &event->enqueued.collective;
  const struct commtap_point_to_point_event* point_to_point = &event->enqueued.point_to_point;
  if (event->type == kCollective) {
    kernels = tell(context, collective->function, collective->count, collective->datatype, NULL);
  } else if (event->type == kPointToPoint) {
    kernels = tell(context, point_to_point->function, point_to_point->count, point_to_point->datatype, NULL);
  }
  *(commtap_kernels*)handle = follow(kernels, event->type, &event->enqueued);
  return kSuccess;
}

static int stop_event(void* handle) {
  (void)handle;
  return kSuccess;
}

static int record_event_state(void* handle, int state, const struct commtap_state* arguments) {
  if (state == kKernelStopped && handle != NULL && arguments != NULL) {
    commtap_kernel_ends((commtap_kernels)handle, arguments->gpu_ns);
  }
  return kSuccess;
}

static int finalize(void* context) {
  for (size_t i = 0; i < kPlaces; ++i) {
    if (context == &places[i].place) {
      const struct commtap_nccl* nccl = commtap_loaded_nccl();
      if (nccl != NULL) {
        nccl->ended(context);
      }
      __atomic_store_n(&places[i].taken, false, __ATOMIC_RELEASE);
    }
  }
  return kSuccess;
}

struct commtap_profiler {
  const char* name;
  int (*init)(void**, uint64_t, int*, const char*, int, int, int, void*);
  int (*start_event)(void*, void**, const struct commtap_event*);
  int (*stop_event)(void*);
  int (*record_event_state)(void*, int, const struct commtap_state*);
  int (*finalize)(void*);
};
_Static_assert(sizeof(struct commtap_profiler) == 48, "layout of ncclProfiler_v7_t");

struct commtap_profiler_v4 {
  const char* name;
  int (*init)(void**, int*, const char*, uint64_t, int, int, int, void*);
  int (*start_event)(void*, void**, const struct commtap_event_v4*);
  int (*stop_event)(void*);
  int (*record_event_state)(void*, int, const struct commtap_state*);
  int (*finalize)(void*);
};
_Static_assert(sizeof(struct commtap_profiler_v4) == 48, "layout of ncclProfiler_v4_t");

#define PROFILER \
  { "commtap", init, start_event, stop_event, record_event_state, finalize }
EXPORT extern const struct commtap_profiler ncclProfiler_v7;
EXPORT extern const struct commtap_profiler ncclProfiler_v6;
EXPORT extern const struct commtap_profiler ncclProfiler_v5;
EXPORT extern const struct commtap_profiler_v4 ncclProfiler_v4;
const struct commtap_profiler ncclProfiler_v7 = PROFILER;
const struct commtap_profiler ncclProfiler_v6 = PROFILER;
const struct commtap_profiler ncclProfiler_v5 = PROFILER;
const struct commtap_profiler_v4 ncclProfiler_v4 =
    {"commtap", init_v4, start_event_v4, stop_event, record_event_state, finalize};
