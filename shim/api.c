/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The functions of commtap.h: each forwards to the tracker's table. */

#include "shim/commtap.h"
#include "shim/loader.h"

#define EXPORT __attribute__((visibility("default")))

#define FORWARD(result, name, parameters, arguments)                   \
  EXPORT result commtap_api_##name parameters {                        \
    const struct commtap_api* api = commtap_loaded_api();              \
    return api == NULL ? (result)COMMTAP_ABSENT : api->name arguments; \
  }
COMMTAP_FOR_EACH_FUNCTION(FORWARD)
