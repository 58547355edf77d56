/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_H
#define COMMTAP_H

/* commtap from inside the job, in C and C++ (docs/api.md). A program includes this header and links nothing. Every
 * function returns COMMTAP_ABSENT if libcommtap.so is not loaded or found no torch.
 *
 * Any thread may call any function. A result below 0 is an error. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum commtap_error {
  COMMTAP_OK = 0,
  COMMTAP_ABSENT = -1,  /* no commtap in this process, or no tracker for its torch */
  COMMTAP_INVALID = -2, /* an argument is invalid, or there is nothing to end */
  COMMTAP_FAILED = -3,  /* no memory, or a file cannot be written: see errno */
};

/* One row of counts. A row has all calls that agree in the fields above `count`. Texts are UTF-8, end with a NUL and
 * stay valid until the process ends; "" means none. New fields are only added at the end. */
struct commtap_collective {
  uint32_t module_id;    /* attributed module: modules[].id in the report; 0 is Global */
  uint32_t issued_in_id; /* issuing module: the call was made inside it */
  const char* module;    /* raw names, wrappers included */
  const char* issued_in;
  const char* phase; /* "forward", "backward", "recompute", "optimizer", "other" */
  const char* op;    /* "c10d.allreduce_" */
  const char* kind;  /* "all_reduce" */
  const char* group; /* the process group's name */
  const char* dtype; /* "float32" */
  uint64_t count;    /* calls */
  uint64_t bytes;    /* payload of all calls, as nccl-tests defines it (docs/report.md) */
};

/* An op that the calling thread is about to run. */
struct commtap_op {
  const char* name;   /* "aten::mm" */
  uint32_t module_id; /* the module that the thread is in */
  const char* phase;
};

struct commtap_place {
  uint32_t module_id;
  uint32_t parent_id; /* the module's parent; Global is its own parent */
  const char* module; /* raw name */
  const char* phase;
};

enum commtap_threads {
  COMMTAP_ALL_THREADS = 0,
  COMMTAP_THIS_THREAD = 1, /* the thread that calls capture_begin; not what other threads do for it */
};

/* Runs on the calling thread, before the op, with count 1 and that call's bytes. Must not throw and must not keep
 * `collective`. Its own collectives and ops are counted but not reported to it. */
typedef void (*commtap_collective_callback)(const struct commtap_collective* collective, void* context);
typedef void (*commtap_op_callback)(const struct commtap_op* op, void* context);

/* clang-format off */
/* The functions; each is commtap_NAME.
 *
 * start, stop
 *     Resumes or stops counting; stop removes the kernels and the module hook. Counting is on at load. Must not run
 *     while another thread makes a collective.
 * reset
 *     Sets all counters of the report, and the call counts of its modules, to 0. Captures keep theirs.
 * snapshot
 *     Writes the report so far as JSON: at most `size` bytes, the last of them NUL. Returns the length in bytes without
 *     the NUL; the text is complete if that is below `size`. `buffer` may be NULL if `size` is 0.
 * snapshot_file
 *     Writes the report so far to a file, atomically.
 * scope_push, scope_pop
 *     Between them this thread is inside a module `name`, a child of the module that it was in: for jobs without
 *     torch.nn.Module. An open scope ends with the module call in which it was pushed.
 * current_module
 *     Writes the clean name of the module that would issue a collective made now; in backward that is the module whose
 *     backward runs. `size` and the result are as for snapshot.
 * is_backward
 *     Returns 1 while autograd runs a backward on this thread, else 0.
 * set_collective_callback, set_op_callback
 *     Installs the one callback of its kind; NULL removes it. The op callback runs for every op that passes PyTorch's
 *     dispatcher, on every thread, nested ops included. Without one, ops cost nothing.
 * capture_begin
 *     Starts a capture: calls are also counted in a table of its own. Returns its number, above 0.
 * capture_read
 *     Copies at most `capacity` rows. Returns the number of rows that the capture has.
 * capture_end
 *     Ends a capture; its number becomes invalid.
 * where
 *     Writes the module and phase that a collective made now would have.
 * module_info
 *     Writes a module's name and parent; `phase` is "".
 * keep_in_memory
 *     Makes this process write no report. Must run before its first process group or collective.
 * mark_step
 *     Ends a training step. From then on the steps of optimizers no longer do.
 * current_step
 *     Returns the number of the running training step, from 0: docs/steps.md says what ends one.
 * observe_modules, module_id
 *     For the Python package only. The caller holds the GIL. */
#define COMMTAP_FOR_EACH_FUNCTION(F) \
  F(int, start, (void), ()) \
  F(int, stop, (void), ()) \
  F(int, reset, (void), ()) \
  F(long, snapshot, (char* buffer, size_t size), (buffer, size)) \
  F(int, snapshot_file, (const char* path), (path)) \
  F(int, scope_push, (const char* name), (name)) \
  F(int, scope_pop, (void), ()) \
  F(long, current_module, (char* buffer, size_t size), (buffer, size)) \
  F(int, is_backward, (void), ()) \
  F(int, set_collective_callback, (commtap_collective_callback callback, void* context), (callback, context)) \
  F(int, set_op_callback, (commtap_op_callback callback, void* context), (callback, context)) \
  F(long, capture_begin, (enum commtap_threads threads), (threads)) \
  F(long, capture_read, (long capture, struct commtap_collective* rows, size_t capacity), (capture, rows, capacity)) \
  F(int, capture_end, (long capture), (capture)) \
  F(int, where, (struct commtap_place* place), (place)) \
  F(int, module_info, (uint32_t id, struct commtap_place* module), (id, module)) \
  F(int, keep_in_memory, (void), ()) \
  F(int, mark_step, (void), ()) \
  F(long, current_step, (void), ()) \
  F(int, observe_modules, (void* before, void* after), (before, after)) \
  F(long, module_id, (void* module), (module))
/* clang-format on */

#ifdef __GNUC__
#define COMMTAP_UNUSED __attribute__((unused))
#else
#define COMMTAP_UNUSED
#endif

/* libcommtap.so exports commtap_api_NAME; without it the address is NULL. */
#define COMMTAP_DECLARE(result, name, parameters, arguments)                           \
  extern __attribute__((weak)) result commtap_api_##name parameters;                   \
  COMMTAP_UNUSED static inline result commtap_##name parameters {                      \
    return commtap_api_##name ? commtap_api_##name arguments : (result)COMMTAP_ABSENT; \
  }
COMMTAP_FOR_EACH_FUNCTION(COMMTAP_DECLARE)
#undef COMMTAP_DECLARE

#ifdef __cplusplus
}
#endif

#endif
