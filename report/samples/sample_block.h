// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/samples/samples.h"

namespace commtap {

/// Returns the payload of a sample's block: optimizer (4 bytes), step (8), time (8); the number of groups (4), and for
/// each the length of its name (4), the name and its collectives (8); the number of rows (4), and for each its
/// parameter (4), flags (1) and digests: the value's, and the gradient's if there is one. A digest is its bits (8), its
/// squares as float32 (4) and, in a row with sums, its sums as float32 (32). Then come the reductions, the
/// batch and the gaps: numbers and texts in the order of their members, and flags (1) before a reduction's digest. Each
/// list comes after its size (4).
std::string sampleToBytes(const Sample& sample);

/// Reads such a payload. `parameters`: how many the process has. Throws std::runtime_error.
Sample sampleFromBytes(std::string_view bytes, size_t parameters);

} // namespace commtap
