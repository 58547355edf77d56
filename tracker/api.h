// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "shim/tracker_abi.h"

namespace commtap {

/// Returns the functions behind shim/commtap.h. Call only once the tracker has started.
commtap_api apiTable();

} // namespace commtap
