// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/list/listed_run.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns a table of the runs and how to see one. `folder` is for the command in the last line. `is_cut`: for a
/// terminal, with shortened commands, so that a line has at most 160 columns if run ids are as commtap makes them.
std::string listText(const RunList& list, const std::string& folder, const Color& color, bool is_cut);
/// Returns the document (docs/schema/commtap-list-1.schema.json).
std::string listJson(const RunList& list);

} // namespace commtap
