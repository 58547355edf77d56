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

/* Returns true if `path` is that of the extension module torch._C. */
bool commtap_is_torchs_module(const char* path);

/* Reads the version from the first of these files that holds one: version.py of the Python package or build-version of
 * the C++ distribution in the folder above libtorch_cpu.so's, version.py next to the loaded module torch._C, and
 * TorchConfigVersion.cmake, which says what find_package(Torch) finds. Returns false if none does. */
bool commtap_read_torch_version(struct commtap_torch_version* version);

#ifdef __cplusplus
}
#endif

#endif
