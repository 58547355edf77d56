/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Stands for libcommtap.so where only the preloading is tested. */
extern int commtap_test_stub;
int commtap_test_stub = 1;
