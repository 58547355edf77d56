// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"

namespace commtap {

/// Returns the document of a sweep as ASCII JSON for the page, safe to embed in a <script> element.
Result<std::string> sweepData(const std::string& file);

} // namespace commtap
