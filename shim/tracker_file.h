/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TRACKER_FILE_H
#define COMMTAP_SHIM_TRACKER_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "shim/tracker_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes to `path` where the tracker for torch `minor` is: in trackers/ next to the library `own` when installed, or in
 * the build tree. Returns false, with the path of an installation, if there is none. */
bool commtap_find_tracker(const char* own, const char* minor, char* path, size_t size);

/* Loads the tracker. Returns NULL, and says why on stderr, if it does not fit this stub, or was built for another torch
 * than `minor`; `any_torch` allows that. */
const struct commtap_tracker* commtap_open_tracker(const char* path, const char* minor, bool any_torch);

#ifdef __cplusplus
}
#endif

#endif
