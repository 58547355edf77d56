/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_TESTS_CUDA_FAKE_CUDA_H
#define COMMTAP_TESTS_CUDA_FAKE_CUDA_H

/* CUDA for machines without a GPU: a driver whose streams have a clock of their own, and a runtime that counts captures
 * and launches without work. The driver counts calls that are forbidden during a capture, or that would create a
 * context. Copies and kernels run when an event after them is asked for and is over, so nothing has their results
 * before. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { kFakeSuccess = 0, kFakeInvalidValue = 1, kFakeNoMemory = 2, kFakeInvalidContext = 201, kFakeNotReady = 600 };

struct fake_work;

/* A stream's handle points to this. */
struct fake_stream {
  uint64_t capture;       /* 0: not capturing */
  uint64_t clock_ns;      /* when the queued work completes */
  bool breaks;            /* its capture fails */
  bool hangs;             /* its work does not complete, until this is false again */
  struct fake_work* work; /* the first that has not run */
};

/* An event's handle points to this. */
struct fake_event {
  struct fake_stream* stream;
  uint64_t work; /* what was queued before it has a smaller number */
  uint64_t stream_ns;
  uint64_t over_at_ms;
  unsigned held_by; /* the number of the hold during which it was recorded; 0: none */
  bool hangs;
};

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of the driver for events that tests and the runtime call. */
int cuEventCreate(struct fake_event** event, unsigned flags);
int cuEventRecord(struct fake_event* event, struct fake_stream* handle);
int cuStreamWaitEvent(struct fake_stream* stream, const struct fake_event* event, unsigned flags);

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

/* Makes each further call of this function of the driver return `error`, a CUresult; NULL: no longer. */
void fake_cuda_fail(const char* function, int error);
/* Sets whether the context of a device exists. That of device 0 does at first. */
void fake_cuda_set_active(int device, bool is_active);
/* Returns the bytes that were allocated: of the device's memory, and of the host's. */
size_t fake_cuda_allocated(void);
size_t fake_cuda_allocated_on_host(void);
/* Events that are recorded while `holds` are over all at once when it no longer does: a test that queues work needs no
 * luck to be faster than a thread that polls. */
void fake_cuda_hold(bool holds);
/* Returns how often a kernel was launched. */
uint64_t fake_cuda_launched_kernels(void);

/* For the driver itself. */
void fake_cuda_forbid_while_capturing(void);
void fake_cuda_count_forbidden(void);
void fake_cuda_run_work(struct fake_stream* stream, uint64_t until_ns);
struct fake_stream* fake_cuda_stream(struct fake_stream* handle);
bool fake_cuda_fails(const char* function, int* error);
uint64_t fake_cuda_next_work(void);

#ifdef __cplusplus
}
#endif

#endif
