/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_H
#define COMMTAP_H

/* commtap from inside the job, in C and C++. Needs this header alone: nothing is linked, and where libcommtap.so is not
 * loaded, or found no torch, every function answers COMMTAP_ABSENT (docs/api.md).
 *
 * Any thread may call any function. A number below 0 is an error. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum commtap_error {
  COMMTAP_OK = 0,
  COMMTAP_ABSENT = -1,  /* no commtap in this process, or no tracker for its torch */
  COMMTAP_INVALID = -2, /* an argument is wrong, or there is nothing to end */
  COMMTAP_FAILED = -3,  /* no memory, or a file that cannot be written: errno says why */
};

/* What one row counts: every call of `op` by `issued_in` for `module` over `group`, and so on. Texts are UTF-8, end
 * with a NUL and stay valid until the process ends; "" stands for none. Fields are only ever added at the end. */
struct commtap_collective {
  uint32_t module_id;    /* for whom; as the report's modules[].id, 0 is Global */
  uint32_t issued_in_id; /* inside whom the call was made */
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

/* An op that is about to run on the calling thread. */
struct commtap_op {
  const char* name;   /* "aten::mm" */
  uint32_t module_id; /* inside whom */
  const char* phase;
};

struct commtap_place {
  uint32_t module_id;
  uint32_t parent_id; /* the module's parent; Global's is itself */
  const char* module; /* raw name */
  const char* phase;
};

enum commtap_threads {
  COMMTAP_ALL_THREADS = 0,
  COMMTAP_THIS_THREAD = 1, /* the one that calls capture_begin, and nothing that others do for it */
};

/* Called on the thread that makes the call, before the op runs, with count 1 and that call's bytes. Must not throw and
 * not keep `collective`. What it does itself is counted, but not told to it. */
typedef void (*commtap_collective_callback)(const struct commtap_collective* collective, void* context);
typedef void (*commtap_op_callback)(const struct commtap_op* op, void* context);

/* clang-format off */
/* The functions; each is commtap_NAME.
 *
 * start, stop
 *     Watching goes on, or is taken out of the process. It is on from the start. Not to be called while another thread
 *     makes a collective.
 * reset
 *     All counters of the report, and the calls of its modules, are 0 again. CountCaptures are not touched.
 * snapshot
 *     The report as it stands, as JSON: writes at most `size` bytes, the last of them NUL, and returns the length in
 *     bytes without the NUL. It fits if that is below `size`; buffer may be NULL for 0.
 * snapshot_file
 *     The same into a file, whole or not at all.
 * scope_push, scope_pop
 *     Between them this thread is inside a module `name` below the one that it was in: for jobs that have no
 *     torch.nn.Module. A scope that is open when its caller's module call ends, ends with it.
 * current_module
 *     The clean name of the module that this thread is in, as the report would have it for a collective made now; in
 *     backward that of the module whose backward it is. Size and result as snapshot.
 * is_backward
 *     1 while autograd runs a backward on this thread, else 0.
 * set_collective_callback, set_op_callback
 *     One callback each; NULL takes it out. Ops: every one that passes PyTorch's dispatcher, on every thread, nested
 *     ones too. While there is none, this costs nothing.
 * capture_begin
 *     From now on calls are also counted in a table of their own. Returns its number, above 0.
 * capture_read
 *     Copies at most `capacity` rows and returns how many there are.
 * capture_end
 *     Its number must not be used any more.
 * where
 *     The module and phase that a collective made now would have.
 * module_info
 *     Name and parent of a module; its phase is "".
 * keep_in_memory
 *     This process leaves no report. Only before its first process group or collective.
 * mark_step
 *     A training step is over. Optimizers no longer say so then.
 * observe_modules, module_id
 *     For the Python package alone; with the GIL held. */
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
  F(int, observe_modules, (void* before, void* after), (before, after)) \
  F(long, module_id, (void* module), (module))
/* clang-format on */

#ifdef __GNUC__
#define COMMTAP_UNUSED __attribute__((unused))
#else
#define COMMTAP_UNUSED
#endif

/* libcommtap.so exports commtap_api_NAME; without it the address is null. */
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
