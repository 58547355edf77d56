/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* In place of glibc's header for libstdc++, which asks by this variable whether it may count without atomic
 * instructions. glibc has it since 2.32; what runs on an older one takes no for an answer. */
static const char __libc_single_threaded = 0;
