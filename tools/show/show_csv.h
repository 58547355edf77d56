// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/show/show_view.h"

namespace commtap {

/// For spreadsheets: every row of `collectives` with the columns of its process and group, described in
/// docs/show.md.
std::string showCsv(const ShowView& view);

} // namespace commtap
