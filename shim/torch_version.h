/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TORCH_VERSION_H
#define COMMTAP_SHIM_TORCH_VERSION_H

#include <stdbool.h>
#include <stddef.h>

struct commtap_torch_version {
  char full[64];  /* "2.13.0+cpu" */
  char minor[32]; /* "2.13" */
};

/* The path of the libtorch_cpu.so in this process. */
bool commtap_find_libtorch(char* path, size_t size);

/* From the files next to it: version.py of the Python package, or build-version of the C++ distribution. */
bool commtap_read_torch_version(struct commtap_torch_version* version);

#endif
