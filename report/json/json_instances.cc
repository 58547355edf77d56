// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/json_instances.h"

COMMTAP_JSON_INSTANCES(, nlohmann::json)
COMMTAP_JSON_INSTANCES(, nlohmann::ordered_json)
