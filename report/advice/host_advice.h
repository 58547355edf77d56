// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/advice/advice_findings.h"

namespace commtap {

/// Finds groups whose ranks could be on one host, where they would have the place of less communication.
void findAcrossHosts(Findings& findings);

} // namespace commtap
