// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Exports a symbol. All others are hidden: the job must not see commtap's symbols or those of its static libraries.
#define COMMTAP_EXPORT __attribute__((visibility("default")))
