/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The functions of commtap.h: each forwards to the tracker's table. */

#include "shim/commtap.h"
#include "shim/loaded.h"

#define EXPORT __attribute__((visibility("default")))

#define FORWARD(result, name, parameters, arguments)                               \
  EXPORT result commtap_api_##name parameters {                                    \
    const struct commtap_tracker* tracker = commtap_loaded.tracker;                \
    return tracker == NULL ? (result)COMMTAP_ABSENT : tracker->api.name arguments; \
  }
COMMTAP_FOR_EACH_FUNCTION(FORWARD)
