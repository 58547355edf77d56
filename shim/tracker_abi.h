/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TRACKER_ABI_H
#define COMMTAP_SHIM_TRACKER_ABI_H

/* What the preloaded stub and a tracker know of each other. Any change makes a new COMMTAP_ABI. */

#include <stdbool.h>

#include "shim/commtap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMMTAP_ABI 4U
#define COMMTAP_TRACKER_SYMBOL "commtap_tracker_table" /* const struct commtap_tracker* (*)(void) */

enum commtap_exit {
  COMMTAP_EXIT_NORMAL = 1,
  COMMTAP_EXIT_UNDERSCORE = 2,
  COMMTAP_EXIT_SIGNAL = 3,
};

/* What stands behind the functions of commtap.h. */
struct commtap_api {
#define COMMTAP_MEMBER(result, name, parameters, arguments) \
  result(*name) parameters; /* NOLINT(bugprone-macro-parentheses): a declaration */
  COMMTAP_FOR_EACH_FUNCTION(COMMTAP_MEMBER)
#undef COMMTAP_MEMBER
};

/* Called in place of the functions of c10d that the stub stands in front of, with the real one, which each calls once.
 * A work, a group, a reducer: opaque pointers to c10d's objects. */
struct commtap_timing {
  /* ProcessGroupGloo::enqueue(intrusive_ptr<AsyncWork>): a collective is handed to the threads of a Gloo group. */
  void (*enqueue)(void (*real)(void*, void*), void* group, void* work_pointer);
  /* ProcessGroupGloo::AsyncWork::execute(intrusive_ptr<AsyncWork> const&): one of these threads carries it out. */
  void (*execute)(void (*real)(void*), void* work_pointer);
  /* Work::wait(milliseconds), and that of SendWork and RecvWork. */
  bool (*wait)(bool (*real)(void*, long), void* work, long timeout_ms);
  /* Reducer::finalize_backward(): DistributedDataParallel waits for its buckets. */
  void (*finalize_backward)(void (*real)(void*), void* reducer);
};

struct commtap_tracker {
  unsigned abi;
  const char* torch_version; /* the "2.13" that it was built for */
  /* Once, when torch is there. `torch_version`: the full version found, e.g. "2.13.0+cpu". 0 on success. */
  int (*start)(const char* torch_version);
  /* The process ends: write the report. `signal` only with COMMTAP_EXIT_SIGNAL. May be called more than once. */
  void (*finish)(enum commtap_exit how, int signal);
  /* After start(): NULL unless COMMTAP_TIMING asks for durations. */
  const struct commtap_timing* (*timing)(void);
  struct commtap_api api;
};

#ifdef __cplusplus
}
#endif

#endif
