/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TRUSTED_FILE_H
#define COMMTAP_SHIM_TRUSTED_FILE_H

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

#ifdef __cplusplus
}
#endif

#endif
