/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_LOADER_H
#define COMMTAP_SHIM_LOADER_H

#include <stdbool.h>
#include <sys/types.h>

#include "shim/tracker_abi.h"

/* The process has been loaded: C++ jobs have torch by now. */
void commtap_process_started(void);

/* True for the library with which torch comes into a Python process. */
bool commtap_brings_torch(const char* file);

/* torch is there: loads the tracker that fits it. Later calls do nothing. */
void commtap_torch_came(void);

/* What the job may call; NULL without a tracker. */
const struct commtap_api* commtap_loaded_api(void);

/* What is called in place of c10d's functions; NULL unless durations are asked for. */
const struct commtap_timing* commtap_loaded_timing(void);

/* What is told of calls to NCCL; NULL without a tracker. */
const struct commtap_nccl* commtap_loaded_nccl(void);

/* Likewise. */
const struct commtap_cuda* commtap_loaded_cuda(void);

/* True if this process is about to end itself by `signal`. */
bool commtap_is_suicide(pid_t pid, int signal);

/* The process ends without running its exit handlers. */
void commtap_process_ends(enum commtap_exit how, int signal);

#endif
