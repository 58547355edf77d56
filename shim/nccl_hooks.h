/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_NCCL_HOOKS_H
#define COMMTAP_SHIM_NCCL_HOOKS_H

#include <stdbool.h>

#include "shim/tracker_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls the NCCL that the job has loaded. Each function returns ncclInvalidUsage while there is none. */
extern const struct commtap_nccl_questions commtap_nccl_questions;

/* Returns true while this thread is inside an NCCL call that went through the shim. */
bool commtap_in_nccl_call(void);
/* Returns true once any thread has made such a call. */
bool commtap_nccl_is_hooked(void);

#ifdef __cplusplus
}
#endif

#endif
