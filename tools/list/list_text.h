// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/list/listed_run.h"
#include "tools/text/table.h"

namespace commtap {

/// The titles of listCells(), for textColumns().
inline constexpr std::string_view kListTitles = "STARTED|TIME>|RANKS>|END|CALLS>|BYTES>|ON DISK>|RUN|NAME OR COMMAND";
/// Returns the cells of a run. The last, inert text, is its name, else its command.
std::vector<std::string> listCells(const ListedRun& run);

/// Returns a table of the runs and how to see one. `folder` is for the command in the last line. `is_cut`: for a
/// terminal, with shortened commands, so that a line has at most 160 columns if run ids are as commtap makes them.
std::string listText(const RunList& list, const std::string& folder, const Color& color, bool is_cut);

} // namespace commtap
