/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_NCCL_HOOKS_H
#define COMMTAP_SHIM_NCCL_HOOKS_H

#include <stdbool.h>

#include "shim/tracker_abi.h"

/* Asked of the NCCL that the job has loaded; ncclInvalidUsage while it has none. */
extern const struct commtap_nccl_questions commtap_nccl_questions;

/* True while this thread is inside a function of NCCL that it came to through this library. */
bool commtap_in_nccl_call(void);
/* True once any thread has come through it. */
bool commtap_nccl_is_hooked(void);

#endif
