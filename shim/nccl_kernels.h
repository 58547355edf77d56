/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_NCCL_KERNELS_H
#define COMMTAP_SHIM_NCCL_KERNELS_H

#include <stdint.h>

/* How long the kernels of a call to NCCL run, as NCCL tells its profiler plugin: each channel of a call begins and ends
 * by the GPU's own clock, told by a thread of NCCL's. What NCCL holds for a call is a number and no address, so that
 * one that it uses too late does no harm. */

typedef uintptr_t commtap_kernels; /* 0: none */

/* `timer`: what the tracker gave for the call. */
commtap_kernels commtap_kernels_expected(void* timer);
/* The call was enqueued with so many channels. */
void commtap_kernels_enqueued(commtap_kernels kernels, unsigned channels);
/* A channel begins, or ends. `gpu_ns`: the GPU's clock. */
void commtap_kernel_begins(commtap_kernels kernels, uint64_t gpu_ns);
void commtap_kernel_ends(commtap_kernels kernels, uint64_t gpu_ns);
/* In the child of a fork: a thread that is not there may have held the lock, and what it expected does not run there.
 */
void commtap_kernels_forget(void);

#endif
