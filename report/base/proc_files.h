// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace commtap {

/// Returns the content of a file of /proc/PID; "" if it cannot be read. `proc` is /proc, or a folder of that form.
std::string procText(uint64_t pid, const char* file, const std::string& proc = "/proc");

/// Returns whether a text has one to nine digits and no other characters, as a pid or a rank.
bool isShortNumber(const std::string& text);

/// Returns the pids in `proc`, in order.
std::vector<uint64_t> pidsIn(const std::string& proc);

/// Returns the words of /proc/PID/stat after the program's name: the state, then numbers; none if there is no such
/// process.
std::vector<std::string> statFields(uint64_t pid, const std::string& proc = "/proc");

/// Returns field `field`, 4 or above and a number, of /proc/PID/stat; nullopt if there is no such process.
std::optional<uint64_t> statNumber(uint64_t pid, int field, const std::string& proc = "/proc");

/// Returns the words of a /proc/PID/cmdline, with the values of secrets replaced. Null characters at the end are no
/// words: a process title, as Ray sets it, has many behind it.
std::vector<std::string> argumentsIn(const std::string& raw);

} // namespace commtap
