// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Everything else is hidden: the job must see none of our symbols, nor of the libraries inside.
#define COMMTAP_EXPORT __attribute__((visibility("default")))
