/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_BUILT_TRACKER_H
#define COMMTAP_SHIM_BUILT_TRACKER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Trackers that `commtap build-tracker` made: libcommtap-tracker-VERSION.so in commtap/trackers-COMMTAP_VERSION of the
 * user's cache folder, $XDG_CACHE_HOME or $HOME/.cache. VERSION is all of torch's version, "2.14.0a0+1a2b3c4.nv26.09":
 * one that is not a release shares its layout with no other. */

/* Writes to `path` where the tracker for this version of torch is, or would be. Returns false if the user has no cache
 * folder or `path` is too small. */
bool commtap_built_tracker_path(const char* torch, char* path, size_t size);

/* Returns why the tracker `path` must not be loaded, NULL if it may be: it and commtap's two folders above it must be
 * this user's own, and no other user may write to them. Changes errno. */
const char* commtap_built_tracker_refusal(const char* path);

/* Writes to `path` where the tracker for this version of torch is. Returns false if there is none that may be loaded.
 * Changes errno. */
bool commtap_find_built_tracker(const char* torch, char* path, size_t size);

#ifdef __cplusplus
}
#endif

#endif
