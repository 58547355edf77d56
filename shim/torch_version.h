/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TORCH_VERSION_H
#define COMMTAP_SHIM_TORCH_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct commtap_torch_version {
  char full[64];  /* "2.13.0+cpu" */
  char minor[32]; /* "2.13" */
};

/* Writes the path of the libtorch_cpu.so that this process has loaded. Returns false if it has none. */
bool commtap_find_libtorch(char* path, size_t size);

/* Reads the version from version.py of the Python package, or build-version of the C++ distribution, in the folder
 * above libtorch_cpu.so's. Returns false if neither holds one. */
bool commtap_read_torch_version(struct commtap_torch_version* version);

#ifdef __cplusplus
}
#endif

#endif
