// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/show/show_view.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns whether ranks agree, in a line, or how they disagree; "" if there is nothing to compare.
std::string agreementText(const JobReport& job, const Color& color);

/// Returns every number with its spread over ranks: by phase and kind, by label, and the rows whose ranks differ most.
std::string spreadText(const JobReport& job, const Color& color);

/// Returns the text for people: header; module tree, totals by kind, or for --ranks agreementText() and spreadText();
/// totals by group.
std::string showText(const ShowView& view, const Color& color);

} // namespace commtap
