// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace commtap {

/// Inert text as Markdown that reads as it is: no emphasis, no HTML, no table border, no mention, no link of its own.
std::string markdownText(std::string_view text);

/// Inert text for XML, in an attribute too.
std::string xmlText(std::string_view text);

/// A line of text for a manual page, in which nothing is a request or an escape.
std::string roffText(std::string_view text);

} // namespace commtap
