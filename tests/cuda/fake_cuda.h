/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_TESTS_CUDA_FAKE_CUDA_H
#define COMMTAP_TESTS_CUDA_FAKE_CUDA_H

/* CUDA for machines without a GPU: a driver whose streams have a clock of their own, and a runtime that counts captures
 * and launches without work. The driver counts calls that are forbidden during a capture. */

#include <stdbool.h>
#include <stdint.h>

enum { kFakeSuccess = 0, kFakeInvalidValue = 1, kFakeNotReady = 600 };

/* A stream's handle points to this. */
struct fake_stream {
  uint64_t capture;  /* 0: not capturing */
  uint64_t clock_ns; /* when the queued work completes */
  bool breaks;       /* its capture fails */
  bool hangs;        /* its work never completes */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Queues work that takes `ns`. Does nothing on a stream that captures. */
typedef void fake_cuda_work(struct fake_stream* stream, uint64_t ns);
fake_cuda_work fake_cuda_give_work;
/* Returns the number of calls that are forbidden while a stream captures, or with that stream. */
typedef uint64_t fake_cuda_forbidden(void);
fake_cuda_forbidden fake_cuda_forbidden_calls;
/* Adds `more` to the number of streams that capture. */
typedef void fake_cuda_captures(int more);
fake_cuda_captures fake_cuda_captures_more;
/* Returns how often this runtime has launched a graph. */
typedef uint64_t fake_cuda_launches(void);
fake_cuda_launches fake_cuda_launched_graphs;

#ifdef __cplusplus
}
#endif

#endif
