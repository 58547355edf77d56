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
  /* Only the releases of a minor share the layout of torch's classes, for which its tracker is built. A release is
   * three numbers, perhaps ".post1", perhaps "+" and a label. Nightlies ("2.15.0.dev20261001"), candidates, and builds
   * of a branch, NVIDIA's containers among them ("2.14.0a0+abc.nv25.10"), are none: they are called by the release to
   * come.
   *
   * A label after a release's number says for what the release was built, not from what: +cpu, +cu130 and +xpu of
   * torch's index, +rocm7.1.0.lw.git1a2b3c4d of AMD, +debian and +computecanada of distributions. So every label
   * counts but one that begins with "git": torch's own build gives that to any commit of a checkout. */
  bool is_release;
};

/* Writes the path of the libtorch_cpu.so that this process has loaded. Returns false if it has none. */
bool commtap_find_libtorch(char* path, size_t size);

/* Returns true if `path` is that of the extension module torch._C. */
bool commtap_is_torchs_module(const char* path);

/* Parses "2.13.0+cpu" at the start of `text`, up to a quote or white space. Returns false if no version is there. */
bool commtap_parse_torch_version(const char* text, struct commtap_torch_version* version);

/* Reads the version from the first of these files that holds one: version.py of the Python package or build-version of
 * the C++ distribution in the folder above that of libtorch_cpu.so, version.py in the folder of the Python package, and
 * TorchConfigVersion.cmake, which says what find_package(Torch) finds. Returns false if none does. conda's libraries
 * are in the environment's lib folder. `folder`: that of libtorch_cpu.so. `package`: NULL for a program in C++. */
bool commtap_read_version_of_torch(const char* folder, const char* package, struct commtap_torch_version* version);

/* Reads the version of the torch that this process has loaded. Returns false if there is none, or no file holds it. */
bool commtap_read_torch_version(struct commtap_torch_version* version);

#ifdef __cplusplus
}
#endif

#endif
