// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "report/model/model.h"

namespace commtap {

/// The path of the archive in `commtap serve`.
inline constexpr const char* kArchivePath = "/reports";

/// Returns the complete reports, each compressed, with a line before it that holds its size in bytes.
std::string archiveOf(std::span<const std::shared_ptr<const Report>> reports);

/// Writes each report of an archive to a file whose path begins with `prefix`. Returns "", or what is wrong.
std::string unpackArchive(std::string_view archive, const std::string& prefix);

} // namespace commtap
