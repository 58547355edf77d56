/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For the parts of libstdc++ that a wheel links into what it loads into jobs: as in sys/single_threaded.h. */
char __libc_single_threaded = 0;
