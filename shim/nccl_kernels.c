/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

#define _GNU_SOURCE
#include "shim/nccl_kernels.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "shim/loader.h"

/* So many calls run at once; one that is older by then is not timed. */
enum { kPlaces = 1024 };

static struct {
  commtap_kernels number; /* of the call that has this place */
  void* timer;            /* NULL: none, or its time is known */
  unsigned channels;      /* 0: it is not enqueued yet */
  unsigned ended;
  uint64_t first_ns;
  uint64_t last_ns;
} places[kPlaces];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static commtap_kernels last_number;

/* The place that still belongs to the call; kPlaces: none. Needs the mutex. */
static size_t place_of(commtap_kernels kernels) {
  const size_t place = kernels % kPlaces;
  return kernels != 0 && places[place].number == kernels && places[place].timer != NULL ? place : kPlaces;
}

static void tell(void* timer, uint64_t ns) {
  const struct commtap_nccl* nccl = commtap_loaded_nccl();
  if (timer != NULL && nccl != NULL) {
    nccl->ran(timer, ns);
  }
}

void commtap_kernels_forget(void) {
  pthread_mutex_init(&mutex, NULL);
  memset(places, 0, sizeof(places));
}

commtap_kernels commtap_kernels_expected(void* timer) {
  pthread_mutex_lock(&mutex);
  const commtap_kernels number = ++last_number;
  const size_t place = number % kPlaces;
  void* left = places[place].timer;
  places[place].number = number;
  places[place].timer = timer;
  places[place].channels = places[place].ended = 0;
  places[place].first_ns = UINT64_MAX;
  places[place].last_ns = 0;
  pthread_mutex_unlock(&mutex);
  tell(left, 0);
  return number;
}

void commtap_kernels_enqueued(commtap_kernels kernels, unsigned channels) {
  pthread_mutex_lock(&mutex);
  const size_t place = place_of(kernels);
  if (place < kPlaces) {
    places[place].channels += channels;
  }
  pthread_mutex_unlock(&mutex);
}

void commtap_kernel_begins(commtap_kernels kernels, uint64_t gpu_ns) {
  pthread_mutex_lock(&mutex);
  const size_t place = place_of(kernels);
  if (place < kPlaces && gpu_ns < places[place].first_ns) {
    places[place].first_ns = gpu_ns;
  }
  pthread_mutex_unlock(&mutex);
}

void commtap_kernel_ends(commtap_kernels kernels, uint64_t gpu_ns) {
  void* timer = NULL;
  uint64_t ns = 0;
  pthread_mutex_lock(&mutex);
  const size_t place = place_of(kernels);
  if (place < kPlaces) {
    places[place].last_ns = gpu_ns > places[place].last_ns ? gpu_ns : places[place].last_ns;
    if (++places[place].ended == places[place].channels) {
      timer = places[place].timer;
      places[place].timer = NULL;
      ns = places[place].last_ns > places[place].first_ns ? places[place].last_ns - places[place].first_ns : 0;
    }
  }
  pthread_mutex_unlock(&mutex);
  tell(timer, ns);
}
