/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TRUSTED_FILE_H
#define COMMTAP_SHIM_TRUSTED_FILE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns why the library `path` must not be loaded, as the end of "PATH is not loaded: ..."; NULL if it may be.
 *
 * It must be a regular file: opening a FIFO makes the job wait for a writer. It must be as hard to replace as
 * `library`: the file and each folder between the two belong to root, to this user or to the library's owner, and
 * others may not write to them. So a library in a folder like /tmp does not load what another user has put next to it.
 * `library` is loaded already, and `path` begins with its folder. Changes errno. */
const char* commtap_load_refusal(const char* path, const char* library);

/* Returns whether this is a regular file, or a folder, that belongs to this user and that no other may write to. A
 * symbolic link is neither. Changes errno. */
bool commtap_is_private(const char* path, bool is_file);

#ifdef __cplusplus
}
#endif

#endif
