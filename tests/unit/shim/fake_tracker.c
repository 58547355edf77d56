/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A tracker that counts nothing, and says on stderr what the stub calls. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "shim/tracker_abi.h"

#ifndef FAKE_TRACKER_ABI
#define FAKE_TRACKER_ABI COMMTAP_ABI
#endif

/* FAKE_TRACKER_STARTS: what start() returns. */
static enum commtap_start_result start(const char* torch_version, uint64_t found_at_ns) {
  fprintf(stderr, "start %s %s\n", torch_version, found_at_ns == 0 ? "at no time" : "at a time");
  errno = ENOENT;
  const char* starts = getenv("FAKE_TRACKER_STARTS");
  return starts == NULL ? COMMTAP_STARTED : (enum commtap_start_result)atoi(starts);
}

static void signals(long pid, int signal) {
  fprintf(stderr, "signals %ld %d\n", pid, signal);
}

static void child_ended(long pid, int signal) {
  fprintf(stderr, "child %ld ended by %d\n", pid, signal);
}

static void finish(enum commtap_exit how, int code) {
  fprintf(stderr, "finish %d %d\n", (int)how, code);
  errno = ENOENT;
}

static const struct commtap_timing* timing(void) {
  return NULL;
}

static const struct commtap_nccl* nccl(const struct commtap_nccl_questions* questions) {
  fprintf(stderr, "questions %s\n", questions->forked == NULL ? "missing" : "given");
  return NULL;
}

static const struct commtap_streams* streams(void) {
  return NULL;
}

static const struct commtap_cuda* cuda(void) {
  return NULL;
}

const struct commtap_tracker* commtap_tracker_table(void);
const struct commtap_tracker* commtap_tracker_table(void) {
  static const struct commtap_tracker table = {
      .abi = FAKE_TRACKER_ABI,
      .torch_version = "9.9",
      .start = start,
      .finish = finish,
      .signals = signals,
      .child_ended = child_ended,
      .timing = timing,
      .nccl = nccl,
      .cuda = cuda,
      .streams = streams};
  return &table;
}
