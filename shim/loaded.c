/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shim/loaded.h"

struct commtap_loaded commtap_loaded;
