/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The runtime, libcudart.so.12 or .13: captures and launches graphs, and orders streams. */

#include <stdlib.h>

#include "tests/cuda/fake_cuda.h"

static uint64_t launches;
static uint64_t captures;

uint64_t fake_cuda_launched_graphs(void) {
  return launches;
}

int cudaStreamBeginCapture(struct fake_stream* stream, int mode);
int cudaStreamBeginCapture(struct fake_stream* stream, int mode) {
  (void)mode;
  if (stream->capture != 0) {
    return kFakeInvalidValue;
  }
  stream->capture = ++captures;
  fake_cuda_captures_more(1);
  return kFakeSuccess;
}

static int make(void** made) {
  *made = malloc(1);
  return kFakeSuccess;
}

int cudaStreamEndCapture(struct fake_stream* stream, void** graph);
int cudaStreamEndCapture(struct fake_stream* stream, void** graph) {
  stream->capture = 0;
  fake_cuda_captures_more(-1);
  *graph = NULL;
  return stream->breaks ? kFakeInvalidValue : make(graph);
}

int cudaGraphInstantiate(void** instance, const void* graph, unsigned long long flags);
int cudaGraphInstantiate(void** instance, const void* graph, unsigned long long flags) {
  (void)flags;
  return graph == NULL ? kFakeInvalidValue : make(instance);
}

int cudaGraphExecUpdate(void* instance, const void* graph, void* outcome);
int cudaGraphExecUpdate(void* instance, const void* graph, void* outcome) {
  (void)outcome;
  return instance == NULL || graph == NULL ? kFakeInvalidValue : kFakeSuccess;
}

int cudaGraphClone(void** clone, const void* graph);
int cudaGraphClone(void** clone, const void* graph) {
  return graph == NULL ? kFakeInvalidValue : make(clone);
}

int cudaGraphAddChildGraphNode(void** node, void* graph, const void* nodes, size_t count, const void* child);
int cudaGraphAddChildGraphNode(void** node, void* graph, const void* nodes, size_t count, const void* child) {
  (void)nodes, (void)count;
  *node = NULL;
  return graph == NULL || child == NULL ? kFakeInvalidValue : kFakeSuccess;
}

int cudaGraphLaunch(const void* instance, struct fake_stream* stream);
int cudaGraphLaunch(const void* instance, struct fake_stream* stream) {
  (void)stream;
  ++launches;
  return instance == NULL ? kFakeInvalidValue : kFakeSuccess;
}

int cudaGraphDestroy(void* graph);
int cudaGraphDestroy(void* graph) {
  free(graph);
  return kFakeSuccess;
}

int cudaGraphExecDestroy(void* instance);
int cudaGraphExecDestroy(void* instance) {
  free(instance);
  return kFakeSuccess;
}

int cudaEventRecord(struct fake_event* event, struct fake_stream* stream);
int cudaEventRecord(struct fake_event* event, struct fake_stream* stream) {
  return cuEventRecord(event, stream);
}

int cudaEventRecordWithFlags(struct fake_event* event, struct fake_stream* stream, unsigned flags);
int cudaEventRecordWithFlags(struct fake_event* event, struct fake_stream* stream, unsigned flags) {
  return flags > 1 ? kFakeInvalidValue : cuEventRecord(event, stream);
}

int cudaStreamWaitEvent(struct fake_stream* stream, const struct fake_event* event, unsigned flags);
int cudaStreamWaitEvent(struct fake_stream* stream, const struct fake_event* event, unsigned flags) {
  return flags > 1 ? kFakeInvalidValue : cuStreamWaitEvent(stream, event, flags);
}

int cudaStreamSynchronize(struct fake_stream* stream);
int cudaStreamSynchronize(struct fake_stream* stream) {
  return stream->breaks ? kFakeInvalidValue : kFakeSuccess;
}

int cudaEventSynchronize(const struct fake_event* event);
int cudaEventSynchronize(const struct fake_event* event) {
  return event == NULL ? kFakeInvalidValue : kFakeSuccess;
}
