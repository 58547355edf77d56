/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_TRUSTED_FILE_H
#define COMMTAP_SHIM_TRUSTED_FILE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True if nobody can have put `path` in its place who could not as well have replaced `library`, which this process has
 * loaded already and in whose folder `path` begins: the file, and each folder between, belongs to root, to this user or
 * to the library's owner, and no one else may write to it. So a library in a folder like /tmp does not bring in what
 * another user has put beside it. errno as it happens to be. */
bool commtap_is_trusted(const char* path, const char* library);

#ifdef __cplusplus
}
#endif

#endif
