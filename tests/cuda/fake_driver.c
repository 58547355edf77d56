/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The driver, libcuda.so.1. An event has the time of its stream's clock when it is recorded, and is over a moment
 * later. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "tests/cuda/fake_cuda.h"

enum { kGlobal = 0, kRelaxed = 2, kCapturing = 1, kReadyAfterMs = 8 };

struct event {
  uint64_t stream_ns;
  uint64_t recorded_at_ms;
  bool hangs;
};

static int context;
static int open_captures;
static uint64_t forbidden;
static __thread int capture_mode = kGlobal;

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void forbid_while_capturing(void) {
  if (__atomic_load_n(&open_captures, __ATOMIC_RELAXED) > 0 && capture_mode != kRelaxed) {
    __atomic_fetch_add(&forbidden, 1, __ATOMIC_RELAXED);
  }
}

void fake_cuda_give_work(struct fake_stream* stream, uint64_t ns) {
  if (stream->capture == 0) {
    stream->clock_ns += ns;
  }
}

uint64_t fake_cuda_forbidden_calls(void) {
  return __atomic_load_n(&forbidden, __ATOMIC_RELAXED);
}

void fake_cuda_captures_more(int more) {
  __atomic_fetch_add(&open_captures, more, __ATOMIC_RELAXED);
}

int cuStreamGetCaptureInfo_v2(
    struct fake_stream* stream,
    int* status,
    uint64_t* id,
    void** graph,
    const void** dependencies,
    size_t* count);
int cuStreamGetCaptureInfo_v2(
    struct fake_stream* stream,
    int* status,
    uint64_t* id,
    void** graph,
    const void** dependencies,
    size_t* count) {
  (void)graph, (void)dependencies, (void)count;
  *status = stream->capture == 0 ? 0 : kCapturing;
  *id = stream->capture;
  return kFakeSuccess;
}

int cuThreadExchangeStreamCaptureMode(int* mode);
int cuThreadExchangeStreamCaptureMode(int* mode) {
  const int before = capture_mode;
  capture_mode = *mode;
  *mode = before;
  return kFakeSuccess;
}

int cuCtxGetCurrent(void** current);
int cuCtxGetCurrent(void** current) {
  *current = &context;
  return kFakeSuccess;
}

int cuCtxSetCurrent(void* current);
int cuCtxSetCurrent(void* current) {
  return current == &context ? kFakeSuccess : kFakeInvalidValue;
}

int cuEventCreate(struct event** event, unsigned flags);
int cuEventCreate(struct event** event, unsigned flags) {
  *event = flags == 0 ? calloc(1, sizeof(**event)) : NULL;
  return *event == NULL ? kFakeInvalidValue : kFakeSuccess;
}

int cuEventDestroy_v2(struct event* event);
int cuEventDestroy_v2(struct event* event) {
  free(event);
  return kFakeSuccess;
}

int cuEventRecord(struct event* event, struct fake_stream* stream);
int cuEventRecord(struct event* event, struct fake_stream* stream) {
  forbid_while_capturing();
  if (stream->capture != 0) {
    __atomic_fetch_add(&forbidden, 1, __ATOMIC_RELAXED);
  }
  *event = (struct event){stream->clock_ns, now_ms(), stream->hangs};
  return kFakeSuccess;
}

int cuEventQuery(const struct event* event);
int cuEventQuery(const struct event* event) {
  forbid_while_capturing();
  return event->hangs || now_ms() < event->recorded_at_ms + kReadyAfterMs ? kFakeNotReady : kFakeSuccess;
}

int cuEventElapsedTime(float* ms, const struct event* from, const struct event* to);
int cuEventElapsedTime(float* ms, const struct event* from, const struct event* to) {
  *ms = (float)(to->stream_ns - from->stream_ns) / 1e6F;
  return cuEventQuery(to);
}
