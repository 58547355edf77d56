/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_LOADED_H
#define COMMTAP_SHIM_LOADED_H

#include "shim/tracker_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tables of the tracker that this process has loaded. loader.c writes them once, on the thread that loads torch;
 * all are NULL before, and in a process without a tracker. */
struct commtap_loaded {
  const struct commtap_tracker* tracker;
  const struct commtap_timing* timing; /* NULL unless COMMTAP_TIMING asks for durations */
  const struct commtap_nccl* nccl;
  const struct commtap_cuda* cuda;
  const struct commtap_streams* streams; /* NULL unless COMMTAP_TIMING asks for times on the device */
};

extern __attribute__((visibility("hidden"))) struct commtap_loaded commtap_loaded;

#ifdef __cplusplus
}
#endif

#endif
