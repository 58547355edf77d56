// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace commtap {

/// Text from a job, made safe for a terminal: control characters, direction marks and invalid UTF-8 as \x1b, \u{202e}.
std::string inert(std::string_view text);

/// Columns that inert text takes up; each code point counts as one.
size_t displayWidth(std::string_view text);

/// At most `columns` wide; what is left out is in the middle, as "...".
std::string shorten(const std::string& text, size_t columns);

/// "96 B", "1.50 KiB", "12.0 GiB".
std::string humanBytes(double bytes);

/// "850 ns", "1.20 ms", "12.5 s", "3.40 h".
std::string humanDuration(double ns);

/// "7", and "16-31" for several that are added up.
std::string stepRange(uint64_t first_step, uint64_t steps);

/// "SIGKILL"; "signal 99" for a number without a name.
std::string signalName(int number);

} // namespace commtap
