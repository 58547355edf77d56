/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* NCCL's profiler plugin, for calls that bypass nccl_hooks.c: those of an NCCL that is linked into another library, or
 * whose functions are found by dlsym(). NCCL looks for it here only if the job's environment has
 * NCCL_PROFILER_PLUGIN=STATIC_PLUGIN. NCCL reports calls on the thread that makes them. It reports kernels only for
 * timed calls, and only if COMMTAP_TIMING asks for times on the device.
 *
 * Layouts: ncclProfiler_v4 (NCCL 2.27) to _v7 (2.31) in src/include/plugin/profiler of NCCL, compared with the debug
 * information of the libraries of 2.31.2 and 2.32.3. The members about calls have the same offsets in v5 to v7. The
 * rules of hooks.c apply. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "shim/loaded.h"
#include "shim/nccl_hooks.h"
#include "shim/nccl_kernels.h"

#define EXPORT __attribute__((visibility("default")))

enum { kSuccess = 0 };

/* Types of events, as bits of a mask. */
enum {
  kCollective = 1 << 1, /* a collective was enqueued: v4 reports it in place of a call */
  kPointToPoint = 1 << 2,
  kKernel = 1 << 6,         /* a kernel of one channel */
  kCollectiveCall = 1 << 9, /* v5 on: the function was called */
  kPointToPointCall = 1 << 10,
};

enum { kKernelStopped = 22 }; /* an event's state */

/* The members that v4 to v7 share, behind the type. */
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

/* An event of v5 to v7. */
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

/* The arguments of kKernelStopped. */
struct commtap_state {
  uint64_t gpu_ns;
};

/* One slot per communicator. The calls of further communicators are counted without ranks. */
enum { kSlots = 1024 };
static struct {
  struct commtap_nccl_place place;
  bool taken;
} slots[kSlots];
/* NCCL's mask of the event types to report, one for all communicators. NULL before the first communicator. */
static int* wanted;

static void* take_slot(int ranks, int rank) {
  for (size_t i = 0; i < kSlots; ++i) {
    if (!__atomic_exchange_n(&slots[i].taken, true, __ATOMIC_ACQ_REL)) {
      slots[i].place.ranks = ranks;
      slots[i].place.rank = rank;
      return &slots[i].place;
    }
  }
  return NULL;
}

/* Returns the commtap_nccl_function of this name; -1 if there is none. */
static int function_of(const char* name) {
  static const struct {
    const char* name;
    enum commtap_nccl_function function;
  } functions[] = {
#define KNOWN(known) {.name = #known, .function = COMMTAP_NCCL_##known},
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

/* Returns the ncclDataType_t of this name; one past the last if there is none. */
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

/* Reports a call to the tracker. Returns the number for its kernels; 0 if it is not timed. */
static commtap_kernels
report(const struct commtap_nccl_place* place, const char* function, size_t count, const char* datatype, void* stream) {
  static const struct commtap_nccl_place nowhere;
  const int known = function_of(function);
  const struct commtap_nccl* nccl = commtap_loaded.nccl;
  if (nccl == NULL || known < 0) {
    return 0;
  }
  const struct commtap_nccl_call call = {
      .function = (enum commtap_nccl_function)known,
      .datatype = datatype_of(datatype),
      .count = count,
      .comm = place,
      .stream = stream,
      .result = kSuccess,
      .place = place == NULL ? &nowhere : place};
  void* timer = nccl->kernels_expected == NULL ? NULL : nccl->kernels_expected(&call);
  nccl->called(&call);
  return timer == NULL ? 0 : commtap_kernels_expected(timer);
}

static bool may_time(void) {
  const struct commtap_nccl* nccl = commtap_loaded.nccl;
  return nccl != NULL && nccl->kernels_expected != NULL;
}

static int
init(void** context, uint64_t communicator, int* mask, const char* name, int nodes, int ranks, int rank, void* log) {
  (void)communicator, (void)name, (void)nodes, (void)log;
  *context = take_slot(ranks, rank);
  *mask = commtap_loaded.nccl == NULL ? 0 : kCollectiveCall | kPointToPointCall;
  __atomic_store_n(&wanted, mask, __ATOMIC_RELEASE);
  return kSuccess;
}

static int
init_v4(void** context, int* mask, const char* name, uint64_t communicator, int nodes, int ranks, int rank, void* log) {
  (void)communicator, (void)name, (void)nodes, (void)log;
  *context = take_slot(ranks, rank);
  *mask = commtap_loaded.nccl == NULL ? 0 : kCollective | kPointToPoint | (may_time() ? kKernel : 0);
  return kSuccess;
}

/* Reports of kernels cost GPU time, so the mask asks for them only around a timed call. NCCL reads the mask when it
 * launches the kernels: within the call, or at the end of its group. */
static void want_kernels(bool want) {
  int* mask = __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
  if (mask != NULL) {
    const int calls = kCollectiveCall | kPointToPointCall;
    __atomic_store_n(mask, want ? calls | kCollective | kPointToPoint | kKernel : calls, __ATOMIC_RELAXED);
  }
}

/* Runs on the calling thread, inside the call. nccl_hooks.c has counted the call if it went through the shim. */
static commtap_kernels
called(const struct commtap_nccl_place* place, const char* function, size_t count, const char* datatype, void* stream) {
  const commtap_kernels kernels = commtap_in_nccl_call() ? 0 : report(place, function, count, datatype, stream);
  if (may_time()) {
    want_kernels(kernels != 0);
  }
  return kernels;
}

/* Passes an event of the call `kernels` on. Returns the number for the event's children; 0 if the event is of a type
 * that NCCL only sends as a parent of these. */
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

/* An event's handle is the number of its call; 0 if the call is not timed. */
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

/* v4 reports what is enqueued, perhaps on a thread of NCCL after the call, so a report cannot be matched with a call
 * that went through nccl_hooks.c: the process is counted by one of the two only. */
static int start_event_v4(void* context, void** handle, const struct commtap_event_v4* event) {
  *handle = NULL;
  if (commtap_nccl_is_hooked()) {
    return kSuccess;
  }
  commtap_kernels kernels = (commtap_kernels)event->parent;
  const struct commtap_collective_event* collective = &event->enqueued.collective;
  const struct commtap_point_to_point_event* point_to_point = &event->enqueued.point_to_point;
  if (event->type == kCollective) {
    kernels = report(context, collective->function, collective->count, collective->datatype, NULL);
  } else if (event->type == kPointToPoint) {
    kernels = report(context, point_to_point->function, point_to_point->count, point_to_point->datatype, NULL);
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
  for (size_t i = 0; i < kSlots; ++i) {
    if (context == &slots[i].place) {
      const struct commtap_nccl* nccl = commtap_loaded.nccl;
      if (nccl != NULL) {
        nccl->ended(context);
      }
      __atomic_store_n(&slots[i].taken, false, __ATOMIC_RELEASE);
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

#define PROFILER                                                                           \
  {                                                                                        \
    .name = "commtap", .init = init, .start_event = start_event, .stop_event = stop_event, \
    .record_event_state = record_event_state, .finalize = finalize                         \
  }
EXPORT extern const struct commtap_profiler ncclProfiler_v7;
EXPORT extern const struct commtap_profiler ncclProfiler_v6;
EXPORT extern const struct commtap_profiler ncclProfiler_v5;
EXPORT extern const struct commtap_profiler_v4 ncclProfiler_v4;
const struct commtap_profiler ncclProfiler_v7 = PROFILER;
const struct commtap_profiler ncclProfiler_v6 = PROFILER;
const struct commtap_profiler ncclProfiler_v5 = PROFILER;
const struct commtap_profiler_v4 ncclProfiler_v4 = {
    .name = "commtap",
    .init = init_v4,
    .start_event = start_event_v4,
    .stop_event = stop_event,
    .record_event_state = record_event_state,
    .finalize = finalize};
