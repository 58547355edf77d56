// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "shim/tracker_abi.h"

namespace commtap {

/// What stands behind shim/commtap.h. Only once the tracker has started.
commtap_api apiTable();

} // namespace commtap
