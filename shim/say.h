/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_SAY_H
#define COMMTAP_SHIM_SAY_H

/* One line on stderr that the user must act on, unless COMMTAP_LOG=off. Straight to the file: stdio is the job's. */
__attribute__((format(printf, 1, 2))) void commtap_say(const char* format, ...);

#endif
