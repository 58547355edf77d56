/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_SAY_H
#define COMMTAP_SHIM_SAY_H

#ifdef __cplusplus
extern "C" {
#endif

/* How every line ends that says why a process is not counted. */
#define COMMTAP_NOT_COUNTED "nothing is counted: run `commtap doctor`"

/* Writes one line to stderr that the user must act on, unless COMMTAP_LOG=off. By write(2): stdio is the job's. */
__attribute__((format(printf, 1, 2))) void commtap_say(const char* format, ...);

#ifdef __cplusplus
}
#endif

#endif
