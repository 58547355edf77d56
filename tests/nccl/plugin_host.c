/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Plays NCCL towards its profiler plugin: looks for it as NCCL does with NCCL_PROFILER_PLUGIN=STATIC_PLUGIN, and sends
 * the events of each version in NCCL's order. Some are of types that the plugin did not ask for; a kernel's come from
 * another thread; one state comes after the end. Layouts as in src/include/plugin/profiler of NCCL. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
  kGroup = 1 << 0,
  kColl = 1 << 1,
  kP2p = 1 << 2,
  kKernelCh = 1 << 6,
  kGroupApi = 1 << 8,
  kCollApi = 1 << 9,
  kP2pApi = 1 << 10,
  kKernelChStop = 22,
};

/* v7; v5 and v6 end sooner. */
struct event {
  uint64_t type;
  void* parent;
  int rank;
  union {
    struct {
      bool captured;
      int depth;
    } group_api;
    struct {
      const char* function;
      size_t count;
      const char* datatype;
      int root;
      void* stream;
      bool captured;
      uint64_t tag;
    } coll_api;
    struct {
      const char* function;
      size_t count;
      const char* datatype;
      void* stream;
      bool captured;
      uint64_t tag;
    } p2p_api;
    struct {
      uint64_t sequence;
      const char* function;
      const void* send;
      void* receive;
      size_t count;
      int root;
      const char* datatype;
      uint8_t channels;
      uint8_t warps;
      const char* algorithm;
      const char* protocol;
      void* group;
      const char* variant;
      bool symmetric;
      uint64_t tag;
    } coll;
    struct {
      const char* function;
      void* buffer;
      const char* datatype;
      size_t count;
      int peer;
      uint8_t channels;
    } p2p;
    struct {
      uint8_t channel;
      uint64_t timer;
    } kernel;
  };
};

struct event_v4 {
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
      uint8_t channels;
      uint8_t warps;
      const char* algorithm;
      const char* protocol;
    } coll;
    struct {
      const char* function;
      void* buffer;
      const char* datatype;
      size_t count;
      int peer;
      uint8_t channels;
    } p2p;
  };
};

struct plugin {
  const char* name;
  void* init; /* of two types: see open_plugin */
  int (*start)(void*, void**, void*);
  int (*stop)(void*);
  int (*record)(void*, int, void*);
  int (*finalize)(void*);
};
typedef int init_v5(void**, uint64_t, int*, const char*, int, int, int, void*);
typedef int init_v4(void**, int*, const char*, uint64_t, int, int, int, void*);

struct session {
  const struct plugin* plugin;
  void* context;
  int mask;
};

static bool open_plugin(struct session* session, int version, int ranks, int rank) {
  char symbol[32];
  snprintf(symbol, sizeof(symbol), "ncclProfiler_v%d", version);
  void* self = dlopen(NULL, RTLD_NOW | RTLD_LOCAL);
  session->plugin = self == NULL ? NULL : dlsym(self, symbol);
  if (session->plugin == NULL) {
    return false;
  }
  if (version == 4) {
    return ((init_v4*)session->plugin->init)(&session->context, &session->mask, "tp", 77, 1, ranks, rank, NULL) == 0;
  }
  return ((init_v5*)session->plugin->init)(&session->context, 77, &session->mask, "tp", 1, ranks, rank, NULL) == 0;
}

/* NCCL sends the kinds that were asked for, and the parents of these. */
static void* send(const struct session* session, void* event) {
  void* handle = event;
  session->plugin->start(session->context, &handle, event);
  return handle;
}

/* A state may come after the end. */
static void end_at(const struct session* session, void* handle, uint64_t gpu_ns) {
  if (handle != NULL) {
    session->plugin->stop(handle);
    session->plugin->record(handle, kKernelChStop, gpu_ns == 0 ? NULL : &gpu_ns);
  }
}

static void end(const struct session* session, void* handle) {
  end_at(session, handle, 0);
}

/* Each channel begins and ends by itself. */
struct kernel_events {
  const struct session* session;
  void* parent;
  uint64_t begins_ns[2];
  uint64_t ends_ns[2];
};

static void* send_kernels(void* argument) {
  const struct kernel_events* events = argument;
  void* handles[2];
  for (int i = 0; i < 2; ++i) {
    struct event kernel = {
        .type = kKernelCh, .parent = events->parent, .kernel = {.channel = i, .timer = events->begins_ns[i]}};
    handles[i] = send(events->session, &kernel);
  }
  for (int i = 0; i < 2; ++i) {
    end_at(events->session, handles[i], events->ends_ns[i]);
  }
  return NULL;
}

/* They come from a thread of NCCL's own. What v4 has of them lies at the same places. */
static void run_kernels(const struct session* session, void* parent, uint64_t begin_ns, uint64_t end_ns) {
  struct kernel_events events = {session, parent, {begin_ns, begin_ns + 2000}, {end_ns - 5000, end_ns}};
  pthread_t thread;
  pthread_create(&thread, NULL, send_kernels, &events);
  pthread_join(thread, NULL);
}

static void play_v5(const struct session* session) {
  struct event group = {.type = kGroupApi, .group_api = {.captured = false, .depth = 1}};
  void* group_handle = send(session, &group);
  struct event all_gather = {
      .type = kCollApi,
      .parent = group_handle,
      .coll_api = {.function = "AllGather", .count = 6, .datatype = "ncclBfloat16", .root = 0, .tag = 9}};
  void* call = send(session, &all_gather);
  struct event enqueued = {
      .type = kColl,
      .parent = call,
      .coll = {.sequence = 1, .function = "AllGather", .count = 12, .datatype = "ncclInt8", .channels = 2}};
  void* collective = send(session, &enqueued);
  run_kernels(session, collective, 1000, 51000);
  end(session, collective);
  end(session, call);
  struct event to_peer = {
      .type = kP2pApi, .parent = group_handle, .p2p_api = {.function = "Send", .count = 3, .datatype = "ncclFloat64"}};
  void* send_call = send(session, &to_peer);
  struct event sent = {.type = kP2p, .parent = send_call, .p2p = {.function = "Send", .count = 3, .channels = 2}};
  run_kernels(session, send(session, &sent), 60000, 67000);
  end(session, send_call);
  struct event unknown = {.type = kCollApi, .coll_api = {.function = "Later", .count = 1, .datatype = "ncclInt8"}};
  end(session, send(session, &unknown));
  end(session, group_handle);
}

static void play_v4(const struct session* session) {
  struct event_v4 all_gather = {
      .type = kColl,
      .coll = {.sequence = 1, .function = "AllGather", .count = 12, .datatype = "ncclInt8", .channels = 2}};
  void* collective = send(session, &all_gather);
  run_kernels(session, collective, 1000, 51000);
  end(session, collective);
  struct event_v4 to_peer = {
      .type = kP2p, .p2p = {.function = "Send", .datatype = "ncclFloat64", .count = 3, .channels = 2}};
  void* to_peer_handle = send(session, &to_peer);
  run_kernels(session, to_peer_handle, 60000, 67000);
  end(session, to_peer_handle);
  struct event_v4 group = {.type = kGroup};
  end(session, send(session, &group));
}

/* The kinds of events that the plugin asked for; -1 without a plugin. */
int plugin_host_play(int version, int ranks, int rank);
int plugin_host_play(int version, int ranks, int rank) {
  struct session session = {0};
  if (!open_plugin(&session, version, ranks, rank)) {
    return -1;
  }
  if (version == 4) {
    play_v4(&session);
  } else {
    play_v5(&session);
  }
  session.plugin->finalize(session.context);
  return session.mask;
}
