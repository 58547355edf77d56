/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

#define _GNU_SOURCE
#include "shim/nccl_kernels.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "shim/loaded.h"

/* The capacity in calls whose kernels have not ended. A further call takes the slot of the oldest. */
enum { kSlots = 1024 };

static struct {
  commtap_kernels number; /* of the call in this slot */
  void* timer;            /* NULL: the slot is free, or the call's time is known */
  unsigned channels;      /* 0: not enqueued yet */
  unsigned ended;
  uint64_t first_ns;
  uint64_t last_ns;
} slots[kSlots];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static commtap_kernels last_number;

/* Returns the slot of the call; kSlots if it has none any longer. The caller holds the mutex. */
static size_t slot_of(commtap_kernels kernels) {
  const size_t slot = kernels % kSlots;
  return kernels != 0 && slots[slot].number == kernels && slots[slot].timer != NULL ? slot : kSlots;
}

static void report(void* timer, uint64_t ns) {
  const struct commtap_nccl* nccl = commtap_loaded.nccl;
  if (timer != NULL && nccl != NULL) {
    nccl->ran(timer, ns);
  }
}

void commtap_kernels_forget(void) {
  pthread_mutex_init(&mutex, NULL);
  memset(slots, 0, sizeof(slots));
}

commtap_kernels commtap_kernels_expected(void* timer) {
  pthread_mutex_lock(&mutex);
  const commtap_kernels number = ++last_number;
  const size_t slot = number % kSlots;
  void* replaced = slots[slot].timer;
  slots[slot].number = number;
  slots[slot].timer = timer;
  slots[slot].channels = slots[slot].ended = 0;
  slots[slot].first_ns = UINT64_MAX;
  slots[slot].last_ns = 0;
  pthread_mutex_unlock(&mutex);
  report(replaced, 0);
  return number;
}

void commtap_kernels_enqueued(commtap_kernels kernels, unsigned channels) {
  pthread_mutex_lock(&mutex);
  const size_t slot = slot_of(kernels);
  if (slot < kSlots) {
    slots[slot].channels += channels;
  }
  pthread_mutex_unlock(&mutex);
}

void commtap_kernel_begins(commtap_kernels kernels, uint64_t gpu_ns) {
  pthread_mutex_lock(&mutex);
  const size_t slot = slot_of(kernels);
  if (slot < kSlots && gpu_ns < slots[slot].first_ns) {
    slots[slot].first_ns = gpu_ns;
  }
  pthread_mutex_unlock(&mutex);
}

void commtap_kernel_ends(commtap_kernels kernels, uint64_t gpu_ns) {
  void* timer = NULL;
  uint64_t ns = 0;
  pthread_mutex_lock(&mutex);
  const size_t slot = slot_of(kernels);
  if (slot < kSlots) {
    slots[slot].last_ns = gpu_ns > slots[slot].last_ns ? gpu_ns : slots[slot].last_ns;
    if (++slots[slot].ended == slots[slot].channels) {
      timer = slots[slot].timer;
      slots[slot].timer = NULL;
      ns = slots[slot].last_ns > slots[slot].first_ns ? slots[slot].last_ns - slots[slot].first_ns : 0;
    }
  }
  pthread_mutex_unlock(&mutex);
  report(timer, ns);
}
