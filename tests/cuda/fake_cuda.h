/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_TESTS_CUDA_FAKE_CUDA_H
#define COMMTAP_TESTS_CUDA_FAKE_CUDA_H

/* CUDA for machines without a GPU: a driver whose streams have a clock of their own, and a runtime that captures
 * nothing and launches nothing, but says so. Both count what a real one would not forgive. */

#include <stdbool.h>
#include <stdint.h>

enum { kFakeSuccess = 0, kFakeInvalidValue = 1, kFakeNotReady = 600 };

/* What the handle of a stream points to. */
struct fake_stream {
  uint64_t capture;  /* 0: none */
  uint64_t clock_ns; /* when all the work that it was given will be over */
  bool breaks;       /* its capture fails */
  bool hangs;        /* its work is never over */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the stream work that takes `ns`; one that captures, none. */
typedef void fake_cuda_work(struct fake_stream* stream, uint64_t ns);
fake_cuda_work fake_cuda_give_work;
/* How often a function was called that may not be called while a stream captures, or with that stream. */
typedef uint64_t fake_cuda_forbidden(void);
fake_cuda_forbidden fake_cuda_forbidden_calls;
/* A stream begins, or ends, to capture. */
typedef void fake_cuda_captures(int more);
fake_cuda_captures fake_cuda_captures_more;
/* How often this runtime has launched a graph. */
typedef uint64_t fake_cuda_launches(void);
fake_cuda_launches fake_cuda_launched_graphs;

#ifdef __cplusplus
}
#endif

#endif
