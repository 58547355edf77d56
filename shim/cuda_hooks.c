/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The functions of CUDA's runtime that libcommtap.so interposes. Some capture, instantiate and launch CUDA graphs: a
 * launch runs the captured calls without calling torch or NCCL. The others make streams and threads wait for streams.
 *
 * Each major version of the runtime has its own symbol version, and so have these hooks: a process may hold two
 * runtimes, and each call must reach its own. CUDA's pointers are opaque, so no CUDA header is needed. The rules of
 * hooks.c apply. */

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

#include "shim/loaded.h"
#include "shim/real_function.h"

enum { kSuccess = 0, kNotSupported = 801 }; /* cudaError_t */

/* `table`: the one of the tracker's tables that has what `before` and `after` call, statements around the call that
 * notify the tracker. */
#define HOOK_OF(table, major, name, parameters, arguments, before, after)                                     \
  int commtap_cuda##major##_##name parameters;                                                                \
  __attribute__((visibility("default"))) int commtap_cuda##major##_##name parameters {                        \
    static void* slot;                                                                                        \
    int(*real) parameters; /* NOLINT(bugprone-macro-parentheses): a declaration */                            \
    *(void**)&real = commtap_real(&slot, "cuda" #name, "libcudart.so." #major, "libcudart.so." #major, NULL); \
    const struct commtap_##table* table = commtap_loaded.table;                                               \
    if (real == NULL || table == NULL) {                                                                      \
      return real == NULL ? kNotSupported : real arguments;                                                   \
    }                                                                                                         \
    before; /* NOLINT(bugprone-macro-parentheses): statements, as after the call */                           \
    const int result = real arguments;                                                                        \
    after;                                                                                                    \
    return result;                                                                                            \
  }                                                                                                           \
  __asm__(".symver commtap_cuda" #major "_" #name ", cuda" #name "@libcudart.so." #major ", remove");

#define HOOK(...) HOOK_OF(cuda, __VA_ARGS__)
#define STREAM_HOOK(...) HOOK_OF(streams, __VA_ARGS__)

#define IF_IT_SUCCEEDED(notify) (result == kSuccess ? (notify) : (void)0)

#define END_OF(wait) ((wait) == NULL ? (void)0 : streams->host_waited(wait))

/* A stream's capture can only be asked for before it ends. A graph is reported before it is destroyed, since afterwards
 * a new graph may have its address. */
/* clang-format off */
#define HOOKS(major) \
  HOOK(major, StreamBeginCapture, (void* stream, int mode), (stream, mode), , \
       IF_IT_SUCCEEDED(cuda->capture_began())) \
  HOOK(major, StreamBeginCaptureToGraph, \
       (void* stream, void* graph, const void* nodes, const void* edges, size_t count, int mode), \
       (stream, graph, nodes, edges, count, mode), , IF_IT_SUCCEEDED(cuda->capture_began())) \
  HOOK(major, StreamEndCapture, (void* stream, void** made), (stream, made), \
       const uint64_t capture = cuda->capture_of(stream), \
       cuda->capture_ended(capture, result == kSuccess ? *made : NULL)) \
  HOOK(major, GraphInstantiate, (void** made, void* graph, unsigned long long flags), (made, graph, flags), , \
       IF_IT_SUCCEEDED(cuda->shares(graph, *made))) \
  HOOK(major, GraphInstantiateWithFlags, (void** made, void* graph, unsigned long long flags), \
       (made, graph, flags), , IF_IT_SUCCEEDED(cuda->shares(graph, *made))) \
  HOOK(major, GraphInstantiateWithParams, (void** made, void* graph, void* parameters), (made, graph, parameters), , \
       IF_IT_SUCCEEDED(cuda->shares(graph, *made))) \
  HOOK(major, GraphExecUpdate, (void* instance, void* graph, void* outcome), (instance, graph, outcome), , \
       IF_IT_SUCCEEDED(cuda->shares(graph, instance))) \
  HOOK(major, GraphClone, (void** made, void* graph), (made, graph), , IF_IT_SUCCEEDED(cuda->shares(graph, *made))) \
  HOOK(major, GraphAddChildGraphNode, (void** made, void* graph, const void* nodes, size_t count, void* child), \
       (made, graph, nodes, count, child), , IF_IT_SUCCEEDED(cuda->includes(graph, child))) \
  HOOK(major, GraphLaunch, (void* instance, void* stream), (instance, stream), , \
       IF_IT_SUCCEEDED(cuda->launched(instance, stream))) \
  HOOK(major, GraphDestroy, (void* graph), (graph), cuda->gone(graph), ) \
  HOOK(major, GraphExecDestroy, (void* instance), (instance), cuda->gone(instance), ) \
  STREAM_HOOK(major, EventRecord, (void* event, void* stream), (event, stream), , \
       IF_IT_SUCCEEDED(streams->recorded(event, stream))) \
  STREAM_HOOK(major, EventRecordWithFlags, (void* event, void* stream, unsigned flags), (event, stream, flags), , \
       IF_IT_SUCCEEDED(streams->recorded(event, stream))) \
  STREAM_HOOK(major, StreamWaitEvent, (void* stream, void* event, unsigned flags), (stream, event, flags), \
       streams->waits(stream, event), ) \
  STREAM_HOOK(major, StreamSynchronize, (void* stream), (stream), \
       void* const wait = streams->host_waits(stream, NULL), END_OF(wait)) \
  STREAM_HOOK(major, EventSynchronize, (void* event), (event), \
       void* const wait = streams->host_waits(NULL, event), END_OF(wait))
/* clang-format on */

HOOKS(12)
HOOKS(13)
