// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/model/totals.h"

namespace commtap {

/// Returns the module tree in Graphviz's DOT language, with one box per module. A box shows the communication of the
/// module and its descendants; a darker box has more payload. Leaves out modules without collectives in their subtree
/// and modules deeper than `depth`. A label counts the modules left out.
std::string graphvizDot(const Totals& totals, std::optional<uint32_t> depth);

} // namespace commtap
