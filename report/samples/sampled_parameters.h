// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/samples/samples.h"

namespace commtap {

/// Returns parameters as JSON text. What most of them have by default is left out, and meshes and lists of ranks, which
/// many share, are written once: a job may have 100,000 parameters. Replaces invalid UTF-8 in names.
std::string parametersToJson(std::span<const SampledParameter> parameters);

/// Reads such a text. Throws std::runtime_error, which names the field and what was found there.
std::vector<SampledParameter> parametersFromJson(std::string_view text);

} // namespace commtap
