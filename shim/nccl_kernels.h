/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_NCCL_KERNELS_H
#define COMMTAP_SHIM_NCCL_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures how long the kernels of an NCCL call run. A thread of NCCL reports to the profiler plugin when each channel
 * of a call begins and ends, by the GPU's clock. NCCL holds a number for the call, not an address, so a report that
 * comes too late does no harm. Any thread may call any function. */

typedef uintptr_t commtap_kernels; /* 0: none */

/* Registers a call before its kernels run. `timer` is the tracker's token for the call. When all channels have ended,
 * the tracker's ran() gets the token and the time. If too many calls are registered first, the time is 0. */
commtap_kernels commtap_kernels_expected(void* timer);
/* Adds channels, each of which will begin and end. */
void commtap_kernels_enqueued(commtap_kernels kernels, unsigned channels);
/* A channel begins or ends at `gpu_ns`, a time of the GPU's clock. */
void commtap_kernel_begins(commtap_kernels kernels, uint64_t gpu_ns);
void commtap_kernel_ends(commtap_kernels kernels, uint64_t gpu_ns);
/* Runs in the child of a fork. Resets the lock, which a thread of the parent may have held, and drops all calls: their
 * kernels run for the parent. */
void commtap_kernels_forget(void);

#ifdef __cplusplus
}
#endif

#endif
