// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace commtap {

/// Returns the text of docs/tables.md.
std::string tablesPage();

} // namespace commtap
