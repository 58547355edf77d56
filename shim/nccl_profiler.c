/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* NCCL's profiler plugin, for calls that do not come through nccl_hooks.c: of an NCCL that is linked into another
 * library, or that is called by addresses from its own handle. NCCL looks for it here only if the job's environment has
 * NCCL_PROFILER_PLUGIN=STATIC_PLUGIN. It is told of calls alone, on the thread that makes them; nothing is measured,
 * and nothing asked of the GPU.
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

#define EXPORT __attribute__((visibility("default")))

enum { kSuccess = 0 };

/* Of events, as bits of a mask. */
enum {
  kCollective = 1 << 1, /* v4 alone: one that was enqueued */
  kPointToPoint = 1 << 2,
  kCollectiveCall = 1 << 9, /* from v5: the function was called */
  kPointToPointCall = 1 << 10,
};

/* v5 to v7. */
struct commtap_call_event {
  uint64_t type;
  void* parent;
  int rank;
  const char* function; /* "AllReduce" */
  size_t count;
  const char* datatype; /* "ncclFloat32" */
};
_Static_assert(offsetof(struct commtap_call_event, function) == 24, "layout of ncclProfilerEventDescr_v7_t");
_Static_assert(offsetof(struct commtap_call_event, count) == 32, "layout of ncclProfilerEventDescr_v7_t");
_Static_assert(offsetof(struct commtap_call_event, datatype) == 40, "layout of ncclProfilerEventDescr_v7_t");

struct commtap_event_v4 {
  uint8_t type;
  void* parent;
  int rank;
  union {
    struct {
      uint64_t sequence;
      const char* function;
      const void* send;
      void* receive;
      size_t count;
      int root;
      const char* datatype;
    } collective;
    struct {
      const char* function;
      void* buffer;
      const char* datatype;
      size_t count;
    } point_to_point;
  };
};
_Static_assert(offsetof(struct commtap_event_v4, collective.function) == 32, "layout of ncclProfilerEventDescr_v4_t");
_Static_assert(offsetof(struct commtap_event_v4, collective.count) == 56, "layout of ncclProfilerEventDescr_v4_t");
_Static_assert(offsetof(struct commtap_event_v4, collective.datatype) == 72, "layout of ncclProfilerEventDescr_v4_t");
_Static_assert(
    offsetof(struct commtap_event_v4, point_to_point.datatype) == 40,
    "layout of ncclProfilerEventDescr_v4_t");
_Static_assert(offsetof(struct commtap_event_v4, point_to_point.count) == 48, "layout of ncclProfilerEventDescr_v4_t");

/* One for each communicator that there is; more than these are counted without one. */
enum { kPlaces = 1024 };
static struct {
  struct commtap_nccl_place place;
  bool taken;
} places[kPlaces];

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

static void tell(const struct commtap_nccl_place* place, const char* function, size_t count, const char* datatype) {
  static const struct commtap_nccl_place nowhere;
  const int known = function_of(function);
  const struct commtap_nccl* nccl = commtap_loaded_nccl();
  if (nccl != NULL && known >= 0) {
    nccl->called(&(struct commtap_nccl_call){
        (enum commtap_nccl_function)known,
        datatype_of(datatype),
        count,
        place,
        kSuccess,
        place == NULL ? &nowhere : place});
  }
}

static int
init(void** context, uint64_t communicator, int* mask, const char* name, int nodes, int ranks, int rank, void* log) {
  (void)communicator, (void)name, (void)nodes, (void)log;
  *context = take_place(ranks, rank);
  *mask = commtap_loaded_nccl() == NULL ? 0 : kCollectiveCall | kPointToPointCall;
  return kSuccess;
}

static int
init_v4(void** context, int* mask, const char* name, uint64_t communicator, int nodes, int ranks, int rank, void* log) {
  (void)communicator, (void)name, (void)nodes, (void)log;
  *context = take_place(ranks, rank);
  *mask = commtap_loaded_nccl() == NULL ? 0 : kCollective | kPointToPoint;
  return kSuccess;
}

/* On the thread that calls NCCL, inside its call: what came through nccl_hooks.c is counted there. Events of other
 * kinds, which are sent for the sake of these, get no handle. */
static int start_event(void* context, void** handle, const struct commtap_call_event* event) {
  *handle = NULL;
  if ((event->type == kCollectiveCall || event->type == kPointToPointCall) && !commtap_in_nccl_call()) {
    tell(context, event->function, event->count, event->datatype);
  }
  return kSuccess;
}

/* v4 tells of what is enqueued, perhaps by a thread of NCCL's own after the call: where calls come through nccl_hooks.c
 * at all it cannot be told which of these they are. */
static int start_event_v4(void* context, void** handle, const struct commtap_event_v4* event) {
  *handle = NULL;
  if (commtap_nccl_is_hooked()) {
    return kSuccess;
  }
  if (event->type == kCollective) {
    tell(context, event->collective.function, event->collective.count, event->collective.datatype);
  } else if (event->type == kPointToPoint) {
    tell(context, event->point_to_point.function, event->point_to_point.count, event->point_to_point.datatype);
  }
  return kSuccess;
}

static int stop_event(void* handle) {
  (void)handle;
  return kSuccess;
}

static int record_event_state(void* handle, int state, void* arguments) {
  (void)handle, (void)state, (void)arguments;
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
  int (*start_event)(void*, void**, const struct commtap_call_event*);
  int (*stop_event)(void*);
  int (*record_event_state)(void*, int, void*);
  int (*finalize)(void*);
};
_Static_assert(sizeof(struct commtap_profiler) == 48, "layout of ncclProfiler_v7_t");

struct commtap_profiler_v4 {
  const char* name;
  int (*init)(void**, int*, const char*, uint64_t, int, int, int, void*);
  int (*start_event)(void*, void**, const struct commtap_event_v4*);
  int (*stop_event)(void*);
  int (*record_event_state)(void*, int, void*);
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
