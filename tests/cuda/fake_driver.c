/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The driver, libcuda.so.1: streams, captures and events. An event has the time of its stream's clock when it is
 * recorded, and is over a moment later. fake_compute.c has contexts, memory and kernels. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "tests/cuda/fake_cuda.h"

enum { kGlobal = 0, kRelaxed = 2, kCapturing = 1, kReadyAfterMs = 8, kDisableTiming = 2 };

static struct fake_stream default_stream;
static int open_captures;
static uint64_t forbidden;
static unsigned holds_begun;
static unsigned hold; /* the number of the hold that is on; 0: none */
static __thread int capture_mode = kGlobal;

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void fake_cuda_count_forbidden(void) {
  __atomic_fetch_add(&forbidden, 1, __ATOMIC_RELAXED);
}

void fake_cuda_forbid_while_capturing(void) {
  if (__atomic_load_n(&open_captures, __ATOMIC_RELAXED) > 0 && capture_mode != kRelaxed) {
    fake_cuda_count_forbidden();
  }
}

struct fake_stream* fake_cuda_stream(struct fake_stream* handle) {
  return handle == NULL ? &default_stream : handle;
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

void fake_cuda_hold(bool holds) {
  __atomic_store_n(&hold, holds ? ++holds_begun : 0, __ATOMIC_RELEASE);
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
  *status = fake_cuda_stream(stream)->capture == 0 ? 0 : kCapturing;
  *id = fake_cuda_stream(stream)->capture;
  return kFakeSuccess;
}

int cuThreadExchangeStreamCaptureMode(int* mode);
int cuThreadExchangeStreamCaptureMode(int* mode) {
  const int before = capture_mode;
  capture_mode = *mode;
  *mode = before;
  return kFakeSuccess;
}

int cuStreamIsCapturing(struct fake_stream* handle, int* status);
int cuStreamIsCapturing(struct fake_stream* handle, int* status) {
  *status = fake_cuda_stream(handle)->capture == 0 ? 0 : kCapturing;
  return kFakeSuccess;
}

int cuEventCreate(struct fake_event** event, unsigned flags) {
  int error = kFakeSuccess;
  if (fake_cuda_fails("cuEventCreate", &error)) {
    return error;
  }
  *event = (flags & ~(unsigned)kDisableTiming) == 0 ? calloc(1, sizeof(**event)) : NULL;
  return *event == NULL ? kFakeInvalidValue : kFakeSuccess;
}

int cuEventDestroy_v2(struct fake_event* event);
int cuEventDestroy_v2(struct fake_event* event) {
  free(event);
  return kFakeSuccess;
}

int cuEventRecord(struct fake_event* event, struct fake_stream* handle) {
  struct fake_stream* stream = fake_cuda_stream(handle);
  int error = kFakeSuccess;
  if (fake_cuda_fails("cuEventRecord", &error)) {
    return error;
  }
  fake_cuda_forbid_while_capturing();
  if (stream->capture != 0) {
    fake_cuda_count_forbidden();
  }
  const unsigned held_by = __atomic_load_n(&hold, __ATOMIC_ACQUIRE);
  const uint64_t over_at_ms = held_by == 0 ? now_ms() + kReadyAfterMs : 0;
  *event = (struct fake_event){stream, fake_cuda_next_work(), stream->clock_ns, over_at_ms, held_by, stream->hangs};
  return kFakeSuccess;
}

int cuEventQuery(const struct fake_event* event);
int cuEventQuery(const struct fake_event* event) {
  int error = kFakeSuccess;
  if (fake_cuda_fails("cuEventQuery", &error)) {
    return error;
  }
  fake_cuda_forbid_while_capturing();
  const bool is_held = event->held_by != 0 && event->held_by == __atomic_load_n(&hold, __ATOMIC_ACQUIRE);
  if (is_held || (event->hangs && event->stream->hangs) || now_ms() < event->over_at_ms) {
    return kFakeNotReady;
  }
  if (event->stream != NULL) {
    fake_cuda_run_work(event->stream, event->work);
  }
  return kFakeSuccess;
}

int cuEventElapsedTime(float* ms, const struct fake_event* from, const struct fake_event* to);
int cuEventElapsedTime(float* ms, const struct fake_event* from, const struct fake_event* to) {
  *ms = (float)((double)to->stream_ns - (double)from->stream_ns) / 1e6F;
  return cuEventQuery(to);
}

int cuStreamWaitEvent(struct fake_stream* handle, const struct fake_event* event, unsigned flags) {
  struct fake_stream* stream = fake_cuda_stream(handle);
  (void)flags;
  if (stream->clock_ns < event->stream_ns) {
    stream->clock_ns = event->stream_ns;
  }
  return kFakeSuccess;
}
